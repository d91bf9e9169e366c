// @ts-check
// Of a row of weights too long for a picture: where it looks most.

/** @import { Row } from "../message/message.js" */
/** @import { Picture } from "./picture.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);

const DECIMALS = 3;

/** @param {Row} row @returns {Picture} */
export function largestOf({ name, shares }) {
  const places = [...shares.keys()].sort((one, other) => Number(shares[other]) - Number(shares[one]));
  const [weight, second] = places.map((place) => write(shares[place], DECIMALS));
  return { says: "whole", facts: { word: name, first: String(places[0]), weight, second } };
}
