// Unpacked size of a PDF's packed data, without unpacking. For broken data, the part before the fault counts.
type Bits = { readonly bytes: Uint8Array; at: number; held: number; count: number };

/** Reads bits from the low end; undefined beyond the end. */
function bits(from: Bits, count: number): number | undefined {
  while (from.count < count) {
    if (from.at >= from.bytes.length) return undefined;
    from.held |= (from.bytes[from.at++] ?? 0) << from.count;
    from.count += 8;
  }
  const value = from.held & ((1 << count) - 1);
  from.held >>>= count;
  from.count -= count;
  return value;
}

/** By the next bits: length of the code, and its symbol. */
type Codes = { readonly table: Int32Array; readonly longest: number };

function codesOf(lengths: readonly number[]): Codes {
  const longest = Math.max(1, ...lengths);
  const table = new Int32Array(1 << longest).fill(-1);
  let code = 0;
  for (let length = 1; length <= longest; length++, code <<= 1)
    for (const [value, each] of lengths.entries()) {
      if (each !== length) continue;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let index = reversed; index < table.length; index += 1 << length)
        table[index] = (length << 16) | value;
      code++;
    }
  return { table, longest };
}

function symbol(from: Bits, { table, longest }: Codes): number | undefined {
  while (from.count < longest && from.at < from.bytes.length) {
    from.held |= (from.bytes[from.at++] ?? 0) << from.count;
    from.count += 8;
  }
  const found = table[from.held & ((1 << longest) - 1)] ?? -1;
  const length = found >> 16;
  if (found < 0 || length > from.count) return undefined;
  from.held >>>= length;
  from.count -= length;
  return found & 0xffff;
}

const range = (count: number, value: number): number[] =>
  Array.from({ length: count }, () => value);
const FIXED = codesOf([...range(144, 8), ...range(112, 9), ...range(24, 7), ...range(8, 8)]);
const FIXED_DISTANCES = codesOf(range(32, 5));
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Returns the size of data in zlib's form (RFC 1950), up to slightly more than `most`. */
export function flateSize(bytes: Uint8Array, most: number): number {
  const from: Bits = { bytes, at: 2, held: 0, count: 0 };
  let size = 0;
  for (let isLast: number | undefined = 0; isLast === 0 && size <= most;) {
    isLast = bits(from, 1);
    const kind = bits(from, 2);
    if (isLast === undefined || kind === undefined || kind === 3) return size;
    if (kind === 0) {
      from.held = from.count = 0;
      const length = (bytes[from.at] ?? 0) | ((bytes[from.at + 1] ?? 0) << 8);
      from.at += 4 + length;
      size += length;
      continue;
    }
    const codes = kind === 1 ? { literals: FIXED, distances: FIXED_DISTANCES } : dynamicCodes(from);
    if (codes === undefined) return size;
    while (size <= most) {
      const value = symbol(from, codes.literals);
      if (value === undefined) return size;
      if (value === 256) break;
      if (value < 256) size++;
      else {
        const index = value - 257;
        const more = bits(from, index < 8 || index > 27 ? 0 : (index >> 2) - 1) ?? 0;
        size += (LENGTHS[index] ?? 258) + more;
        const distance = symbol(from, codes.distances);
        if (distance === undefined) return size;
        bits(from, distance < 4 ? 0 : (distance >> 1) - 1);
      }
    }
  }
  return size;
}

function dynamicCodes(
  from: Bits,
): { readonly literals: Codes; readonly distances: Codes } | undefined {
  const [literals, distances, order] = [bits(from, 5), bits(from, 5), bits(from, 4)];
  if (literals === undefined || distances === undefined || order === undefined) return undefined;
  const lengths = range(19, 0);
  for (const place of ORDER.slice(0, order + 4)) lengths[place] = bits(from, 3) ?? 0;
  const codes = codesOf(lengths);
  const all: number[] = [];
  const wanted = literals + 257 + distances + 1;
  while (all.length < wanted) {
    const value = symbol(from, codes);
    if (value === undefined) return undefined;
    if (value < 16) all.push(value);
    else if (value === 16) all.push(...range((bits(from, 2) ?? 0) + 3, all.at(-1) ?? 0));
    else all.push(...range(value === 17 ? (bits(from, 3) ?? 0) + 3 : (bits(from, 7) ?? 0) + 11, 0));
  }
  return {
    literals: codesOf(all.slice(0, literals + 257)),
    distances: codesOf(all.slice(literals + 257, wanted)),
  };
}

const CLEAR = 256;
const END = 257;

/** Returns the size of data packed by PDF's LZW. Codes usually grow one earlier than necessary. */
export function lzwSize(bytes: Uint8Array, most: number, isLate = false): number {
  let [size, held, count, width, before] = [0, 0, 0, 9, 0];
  let lengths: number[] = [];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffffff;
    count += 8;
    if (count < width) continue;
    count -= width;
    const code = (held >> count) & ((1 << width) - 1);
    if (code === END || size > most) break;
    if (code === CLEAR) {
      [width, before, lengths] = [9, 0, []];
      continue;
    }
    const length = code < 256 ? 1 : (lengths[code - 258] ?? before + 1);
    size += length;
    if (before > 0 && lengths.length < 4096 - 258) lengths.push(before + 1);
    before = length;
    width = Math.min(12, Math.max(9, 32 - Math.clz32(lengths.length + 258 + (isLate ? 0 : 1))));
  }
  return size;
}

export function runLengthSize(bytes: Uint8Array, most: number): number {
  let size = 0;
  for (let at = 0; at < bytes.length && size <= most;) {
    const length = bytes[at] ?? 128;
    if (length === 128) break;
    size += length < 128 ? length + 1 : 257 - length;
    at += length < 128 ? length + 2 : 2;
  }
  return size;
}

/** Decodes bytes written as text, up to the end mark: in base 85, or as hex digits. */
export function fromAscii(bytes: Uint8Array, base: 85 | 16): Uint8Array {
  const end = bytes.indexOf(base === 85 ? 0x7e : 0x3e);
  const ascii = bytes.subarray(0, end === -1 ? bytes.length : end);
  const [digits, made] = base === 85 ? [5, 4] : [2, 1];
  const zeros = base === 85 ? ascii.reduce((sum, byte) => sum + (byte === 0x7a ? 1 : 0), 0) : 0;
  const out = new Uint8Array(Math.ceil((ascii.length / digits) * made) + 4 * zeros);
  let length = 0;
  let group: number[] = [];
  for (const byte of ascii) {
    if (base === 85 && byte === 0x7a && group.length === 0) length += 4;
    const digit = base === 85 ? byte - 33 : Number.parseInt(String.fromCodePoint(byte), 16);
    if (!(digit >= 0 && digit < base)) continue;
    group.push(digit);
    if (group.length === digits) flush(made);
  }
  // An incomplete last group has fewer bytes: in base 85, one less than its digits.
  const left = base === 85 ? group.length - 1 : group.length;
  if (left > 0) {
    while (group.length < digits) group.push(base === 85 ? 84 : 0);
    flush(left);
  }
  return out.subarray(0, length);

  function flush(count: number): void {
    const value = group.reduce((sum, digit) => sum * base + digit, 0);
    for (let place = 0; place < count; place++)
      out[length++] = Math.floor(value / 256 ** (made - 1 - place)) % 256;
    group = [];
  }
}
