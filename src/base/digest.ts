// Digests fixed by others: MD5 for definition keys, SHA-1 for name-based UUIDs. They identify only, and protect no
// data.

/** MD5 (RFC 1321) of a text's UTF-8 bytes, as 32 lower-case hex digits. */
export function md5Hex(text: string): string {
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  for (const block of blocks(new TextEncoder().encode(text), { littleEndian: true })) {
    md5Block(state, block);
  }
  return hex(bytesOf(state, { littleEndian: true }));
}

/** SHA-1 (FIPS 180-4) of bytes: 20 bytes. */
export function sha1(message: Uint8Array): Uint8Array {
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const schedule = new Uint32Array(80);
  for (const block of blocks(message, { littleEndian: false })) sha1Block(state, block, schedule);
  return bytesOf(state, { littleEndian: false });
}

type ByteOrder = { readonly littleEndian: boolean };

const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const MD5_SINES = Uint32Array.from({ length: 64 }, (_, step) =>
  Math.floor(Math.abs(Math.sin(step + 1)) * 0x1_0000_0000),
);

function md5Block(state: Uint32Array, block: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let step = 0; step < 64; step++) {
    const round = step >> 4;
    const [mixed, word] = md5Round(round, { b, c, d, step });
    const sum = (a + mixed + at(MD5_SINES, step) + at(block, word)) | 0;
    const shift = MD5_SHIFTS[round * 4 + (step % 4)] ?? 0;
    [a, b, c, d] = [d, (b + rotate(sum, shift)) | 0, b, c];
  }
  addTo(state, [a, b, c, d]);
}

/** The round's function of three words, and which word of the block it takes. */
function md5Round(
  round: number,
  { b, c, d, step }: { b: number; c: number; d: number; step: number },
): [mixed: number, word: number] {
  if (round === 0) return [(b & c) | (~b & d), step];
  if (round === 1) return [(d & b) | (~d & c), (5 * step + 1) % 16];
  if (round === 2) return [b ^ c ^ d, (3 * step + 5) % 16];
  return [c ^ (b | ~d), (7 * step) % 16];
}

function sha1Block(state: Uint32Array, block: Uint32Array, schedule: Uint32Array): void {
  schedule.set(block);
  for (let step = 16; step < 80; step++) {
    const mixed =
      at(schedule, step - 3) ^
      at(schedule, step - 8) ^
      at(schedule, step - 14) ^
      at(schedule, step - 16);
    schedule[step] = rotate(mixed, 1);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let step = 0; step < 80; step++) {
    const [mixed, constant] = sha1Round(step, b, { c, d });
    const next = (rotate(a, 5) + mixed + e + constant + at(schedule, step)) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  addTo(state, [a, b, c, d, e]);
}

function sha1Round(
  step: number,
  b: number,
  { c, d }: { c: number; d: number },
): [mixed: number, constant: number] {
  if (step < 20) return [(b & c) | (~b & d), 0x5a827999];
  if (step < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (step < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}

/** The message in blocks of 16 words: its bytes, a one bit, zeros, and its length in bits. */
function* blocks(message: Uint8Array, { littleEndian }: ByteOrder): Generator<Uint32Array> {
  const length = (((message.length + 8) >> 6) + 1) * 64;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  const low = (message.length << 3) >>> 0;
  const high = Math.floor(message.length / 0x2000_0000);
  view.setUint32(length - 8, littleEndian ? low : high, littleEndian);
  view.setUint32(length - 4, littleEndian ? high : low, littleEndian);
  for (let offset = 0; offset < length; offset += 64) {
    yield Uint32Array.from({ length: 16 }, (_, word) =>
      view.getUint32(offset + word * 4, littleEndian),
    );
  }
}

function bytesOf(words: Uint32Array, { littleEndian }: ByteOrder): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setUint32(index * 4, word, littleEndian);
  return bytes;
}

function addTo(state: Uint32Array, words: readonly number[]): void {
  for (const [index, word] of words.entries()) state[index] = at(state, index) + word;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Name-based UUID, version 5 (RFC 9562): the same for the same namespace and name. */
export function uuidV5(namespace: string, name: string): string {
  const space = Uint8Array.from(namespace.replaceAll("-", "").match(/../g) ?? [], (byte) =>
    Number.parseInt(byte, 16),
  );
  const text = new TextEncoder().encode(name);
  const message = new Uint8Array(space.length + text.length);
  message.set(space);
  message.set(text, space.length);
  const digest = hex(sha1(message));
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(18, 20)}-${digest.slice(20, 32)}`;
}
