const ROUND_CONSTANTS = Int32Array.from(firstPrimes(64), (prime) => fractionBits(Math.cbrt(prime)));
const INITIAL_STATE = firstPrimes(8).map((prime) => fractionBits(Math.sqrt(prime)));

/**
 * Returns the SHA-256 (FIPS 180-4) of a text's UTF-8 bytes, as 64 lower-case hex digits.
 *
 * Synchronous, for short texts such as names and keys; `digestBytes` uses the platform, for bytes in memory.
 */
export function sha256Hex(text: string): string {
  return new Sha256().update(new TextEncoder().encode(text)).hex();
}

/** State of a digest after whole blocks of 64 bytes, as JSON. */
export type Sha256State = { readonly words: readonly number[]; readonly bytes: number };

const BLOCK = 64;

/** SHA-256 of bytes arriving piece by piece: the platform digests only complete bytes in memory. */
export class Sha256 {
  readonly #state: Int32Array;
  readonly #schedule = new Int32Array(64);
  readonly #rest = new Uint8Array(BLOCK);
  #restLength = 0;
  #bytes: number;

  /** Continues a stored digest. */
  constructor({ words, bytes }: Sha256State = { words: [...INITIAL_STATE], bytes: 0 }) {
    this.#state = Int32Array.from(words);
    this.#bytes = bytes;
  }

  update(bytes: Uint8Array): this {
    let offset = 0;
    this.#bytes += bytes.length;
    if (this.#restLength > 0) {
      offset = Math.min(BLOCK - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, offset), this.#restLength);
      this.#restLength += offset;
      if (this.#restLength < BLOCK) return this;
      this.#compress(this.#rest, 0);
      this.#restLength = 0;
    }
    for (; offset + BLOCK <= bytes.length; offset += BLOCK) this.#compress(bytes, offset);
    this.#rest.set(bytes.subarray(offset));
    this.#restLength = bytes.length - offset;
    return this;
  }

  /** State for continuing the digest later; undefined between two blocks of 64 bytes. */
  get state(): Sha256State | undefined {
    return this.#restLength === 0 ? { words: [...this.#state], bytes: this.#bytes } : undefined;
  }

  /** Returns the digest as 64 lower-case hex digits, and closes it for further bytes. */
  hex(): string {
    const length = this.#restLength < 56 ? BLOCK : 2 * BLOCK;
    const end = new Uint8Array(length);
    end.set(this.#rest.subarray(0, this.#restLength));
    end[this.#restLength] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(length - 8, Math.floor(this.#bytes / 0x2000_0000));
    view.setUint32(length - 4, (this.#bytes << 3) >>> 0);
    for (let offset = 0; offset < length; offset += BLOCK) this.#compress(end, offset);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #compress(bytes: Uint8Array, offset: number): void {
    fillSchedule(this.#schedule, bytes, offset);
    compress(this.#state, this.#schedule);
  }
}

function fillSchedule(schedule: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let index = 0; index < 16; index++) {
    const from = offset + index * 4;
    schedule[index] =
      (byteAt(bytes, from) << 24) |
      (byteAt(bytes, from + 1) << 16) |
      (byteAt(bytes, from + 2) << 8) |
      byteAt(bytes, from + 3);
  }
  for (let index = 16; index < 64; index++) {
    const early = at(schedule, index - 15);
    const late = at(schedule, index - 2);
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = at(schedule, index - 16) + sigma0 + at(schedule, index - 7) + sigma1;
  }
}

/** Uses 32-bit integers in local variables: this function takes most of the time for a large file. */
function compress(state: Int32Array, schedule: Int32Array): void {
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + sum1 + choice + at(ROUND_CONSTANTS, index) + at(schedule, index)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
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
