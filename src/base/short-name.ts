import { sha256Hex } from "./sha256.ts";

const HASH_DIGITS = 16;

/**
 * Returns a name of at most `max` characters for an identifier made of free text, such as a role: the name itself, or
 * its beginning and a hash of the whole. Equal names stay equal, and different ones different.
 */
export function shortName(name: string, max: number): string {
  if (name.length <= max) return name;
  const hash = sha256Hex(name).slice(0, HASH_DIGITS);
  return `${name.slice(0, max - HASH_DIGITS - 1).toWellFormed()}-${hash}`;
}
