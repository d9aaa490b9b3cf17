const ROUND_CONSTANTS = firstPrimes(64).map((prime) => fractionBits(Math.cbrt(prime)));
const INITIAL_STATE = firstPrimes(8).map((prime) => fractionBits(Math.sqrt(prime)));

/**
 * SHA-256 (FIPS 180-4) of a text's UTF-8 bytes, as 64 lower-case hex digits.
 *
 * Synchronous, for short texts such as names and keys; `digestBytes` is the one of the platform, for bytes of any length.
 */
export function sha256Hex(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  const state = new Uint32Array(INITIAL_STATE);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < words.length; offset += 16) {
    fillSchedule(schedule, words.subarray(offset, offset + 16));
    compress(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The message as big-endian words: its bytes, a one bit, zeros, and its length in bits. */
function padded(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array((((bytes.length + 8) >> 6) + 1) * 16);
  for (const [index, byte] of [...bytes, 0x80].entries()) {
    words[index >> 2] = at(words, index >> 2) | (byte << (24 - (index % 4) * 8));
  }
  words[words.length - 2] = Math.floor(bytes.length / 0x2000_0000);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

function fillSchedule(schedule: Uint32Array, block: Uint32Array): void {
  schedule.set(block);
  for (let index = 16; index < 64; index++) {
    const early = at(schedule, index - 15);
    const late = at(schedule, index - 2);
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = at(schedule, index - 16) + sigma0 + at(schedule, index - 7) + sigma1;
  }
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + sum1 + choice + (ROUND_CONSTANTS[index] ?? 0) + at(schedule, index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sum0 + majority) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = at(state, index) + word;
  }
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

/** The first 32 bits after the binary point. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x1_0000_0000);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
