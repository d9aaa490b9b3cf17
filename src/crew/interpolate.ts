/** The filling of a crew's texts; agents that work alone do it the same way. */
export { checkInputs, interpolate, placeholders } from "../base/interpolate.ts";
