/**
 * A 64-bit fingerprint of a text as 16 hex digits: two 32-bit multiply-xor lanes with a final mix.
 * Fast and synchronous. It detects changed inputs; it is not cryptographic.
 *
 * `seed` chains fingerprints: the hash of a growing list costs only its new items.
 */
export function fingerprint(text: string, seed = ""): string {
  let a = 0x9e3779b9 ^ text.length;
  let b = 0x85ebca6b;
  for (const part of [seed, text]) {
    for (let index = 0; index < part.length; index++) {
      const unit = part.charCodeAt(index);
      a = Math.imul(a ^ unit, 0x2c1b3c6d);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ unit, 0x297a2d39);
      b = (b << 17) | (b >>> 15);
    }
    a = Math.imul(a ^ (b >>> 7), 0x5bd1e995);
  }
  return hex(mix(a ^ b)) + hex(mix(b + Math.imul(a, 0x27d4eb2f)));
}

/** Returns a UUID computed from the texts alone. Shaped as version 8 (custom). */
export function uuidOf(text: string, salt = text): string {
  const head = fingerprint(text);
  const tail = fingerprint(head, salt);
  return `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(13, 16)}-a${tail.slice(1, 4)}-${tail.slice(4, 16)}`;
}

/** Returns a number in [0, 1) computed from the text alone. */
export function fraction(text: string): number {
  return Number.parseInt(fingerprint(text).slice(0, 8), 16) / 0x1_0000_0000;
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x7feb352d);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(value: number): string {
  const byte = (shift: number): string => BYTES[(value >>> shift) & 0xff] ?? "";
  return byte(24) + byte(16) + byte(8) + byte(0);
}
