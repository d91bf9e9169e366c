// @ts-check
// In which order the heads stand: a column and a row for each, and labels before rows. Numbers in, numbers out.

/** @typedef {{ column: number, row: number }} Place */
/** @typedef {{ row: number, key: string, count: number }} Label */
/** @typedef {{ layers: number, heads: number, groups: string[], measures: Record<string, number[]>, count: number }} All */
/** @typedef {{ places: Place[], labels: Label[], rows: number, columns: number }} Arranged */

const KINDS = ["previous", "next", "same", "repeated", "sink", "broad", "elsewhere"];

// Layer by layer; by what they do; or by one measure from high to low, heads that are equal as in the layers.
/** @param {All} all @param {string} sort @param {number} columns @returns {Arranged} */
export function arranged({ layers, heads, groups, measures, count }, sort, columns) {
  /** @type {Place[]} */
  const places = Array.from({ length: count }, () => ({ column: 0, row: 0 }));
  if (sort === "kind") {
    /** @type {Label[]} */
    const labels = [];
    let row = 0;
    for (const key of KINDS) {
      const own = groups.flatMap((group, tile) => (group === key ? [tile] : []));
      own.sort((one, other) => by(measures[key], one, other));
      if (!own.length) continue;
      labels.push({ row, key, count: own.length });
      own.forEach((tile, place) => (places[tile] = { column: place % columns, row: row + Math.floor(place / columns) }));
      row += Math.ceil(own.length / columns);
    }
    return { places, labels, rows: row, columns };
  }
  if (sort) {
    const order = Array.from({ length: count }, (_, tile) => tile).sort((one, other) => by(measures[sort], one, other));
    order.forEach((tile, place) => (places[tile] = { column: place % columns, row: Math.floor(place / columns) }));
    return { places, labels: [], rows: Math.ceil(count / columns), columns };
  }
  for (let tile = 0; tile < count; tile += 1) places[tile] = { column: tile % heads, row: Math.floor(tile / heads) };
  const labels = Array.from({ length: layers }, (_, row) => ({ row, key: String(row), count: heads }));
  return { places, labels, rows: layers, columns: heads };
}

/** @param {number[] | undefined} measure @param {number} one @param {number} other */
const by = (measure, one, other) => (measure ? measure[other] - measure[one] : 0) || one - other;

// The tile that an arrow leads to: the next in that direction, in the same row or column where there is one.
/** @param {Place[]} places @param {number} from @param {string} key */
export function nextTile(places, from, key) {
  const here = places[from];
  const across = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const down = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (key === "Home" || key === "End" || across) {
    const order = places.map((_, tile) => tile);
    order.sort((one, other) => places[one].row - places[other].row || places[one].column - places[other].column);
    if (key === "Home") return order[0];
    if (key === "End") return order[order.length - 1];
    return order[order.indexOf(from) + (across ?? 0)] ?? from;
  }
  if (!down) return null;
  const row = here.row + down;
  const there = places.flatMap((place, tile) => (place.row === row ? [tile] : []));
  if (!there.length) return from;
  /** @param {number} tile */
  const away = (tile) => Math.abs(places[tile].column - here.column);
  return there.reduce((best, tile) => (away(tile) < away(best) ? tile : best));
}
