// @ts-check
// Where the elements of an array stand: as an index, one whole number for each axis, or flat, counted in C order.

// How far apart neighbours along each axis are.
/** @param {number[]} shape */
export function stridesOf(shape) {
  const strides = new Array(shape.length);
  for (let axis = shape.length - 1, stride = 1; axis >= 0; stride *= shape[axis], axis -= 1) strides[axis] = stride;
  return /** @type {number[]} */ (strides);
}

/** @param {number[]} shape */
export const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

/** @param {number[]} shape @param {number[]} index */
export const flatOf = (shape, index) => shape.reduce((flat, size, axis) => flat * size + index[axis], 0);

/** @param {number[]} shape @param {number} flat */
export function indexOf(shape, flat) {
  const index = new Array(shape.length);
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    index[axis] = flat % shape[axis];
    flat = Math.floor(flat / shape[axis]);
  }
  return /** @type {number[]} */ (index);
}

// For each combination of places along `axes`, in C order, where the element of `array` stands. Along an axis that the
// array does not have, and along one of size 1, it is the same element: so masks and biases are repeated.
/** @param {{ axes: string[], shape: number[] }} array @param {string[]} axes @param {number[]} sizes */
export function placesIn(array, axes, sizes) {
  const strides = stridesOf(array.shape);
  const places = new Int32Array(sizeOf(sizes));
  let filled = Math.min(1, places.length); // so many are known, for the last axes; each axis before repeats them
  for (let axis = axes.length - 1; axis >= 0; axis -= 1) {
    const own = array.axes.indexOf(axes[axis]);
    const step = own < 0 || array.shape[own] === 1 ? 0 : strides[own];
    for (let at = 1; at < sizes[axis]; at += 1)
      for (let one = 0; one < filled; one += 1) places[at * filled + one] = places[one] + at * step;
    filled *= sizes[axis];
  }
  return places;
}
