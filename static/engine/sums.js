// @ts-check

// The sum of floating-point numbers, rounded once, as math.fsum: what was rounded away is kept and added again.
/** @param {number[]} numbers */
export function exactSum(numbers) {
  /** @type {number[]} */
  let partials = []; // that do not overlap, the smallest first; their sum is exact
  for (const number of numbers) {
    if (!Number.isFinite(number)) return numbers.reduce((total, one) => total + one, 0);
    let sum = number;
    const rest = [];
    for (const partial of partials) {
      const [large, small] = Math.abs(sum) < Math.abs(partial) ? [partial, sum] : [sum, partial];
      sum = large + small;
      const lost = small - (sum - large);
      if (lost) rest.push(lost);
    }
    partials = [...rest, sum];
  }
  let total = 0;
  let lost = 0;
  let place = partials.length - 1;
  for (; place >= 0 && !lost; place -= 1) {
    const [large, small] = [total, partials[place]];
    total = large + small;
    lost = small - (total - large);
  }
  // Half a unit was lost, and what is smaller still says to which side it is rounded.
  const twice = 2 * lost;
  const further = place >= 0 && lost !== 0 && Math.sign(lost) === Math.sign(partials[place]);
  return further && total + twice - total === twice ? total + twice : total;
}
