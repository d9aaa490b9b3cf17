import { tagLength } from "./binary-type.ts";
import { findMark, hasMark, latin, numberAt } from "./byte-reading.ts";

const MAX_PARTS = 10_000;

/** Reads the duration of sound or video in its header, in seconds. Undefined for formats without one there. */
export function mediaSeconds(bytes: Uint8Array, mediaType: string): number | undefined {
  const seconds = READERS[mediaType]?.(bytes);
  return seconds !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => number | undefined>> = {
  "audio/wav": waveSeconds,
  "audio/mpeg": mp3Seconds,
  "audio/mp4": boxSeconds,
  "video/mp4": boxSeconds,
  "video/quicktime": boxSeconds,
};

function waveSeconds(bytes: Uint8Array): number | undefined {
  let at = 12;
  let bytesPerSecond: number | undefined;
  for (let count = 0; count < MAX_PARTS && at + 8 <= bytes.length; count++) {
    const name = latin(bytes, at, 4);
    const size = numberAt(bytes, at + 4, { length: 4, order: "little" }) ?? 0;
    if (name === "fmt ") bytesPerSecond = numberAt(bytes, at + 16, { length: 4, order: "little" });
    // Interrupted recorders leave a false length, so the present bytes count.
    if (name === "data")
      return bytesPerSecond && Math.min(size, bytes.length - at - 8) / bytesPerSecond;
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Kilobits per second by index, for layer III: of MPEG 1, and of MPEG 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** Uses the number of frames in the first frame if it has one. Otherwise it assumes a constant bit rate. */
function mp3Seconds(bytes: Uint8Array): number | undefined {
  const start = frameStart(bytes, tagLength(bytes));
  if (start === undefined) return undefined;
  const second = bytes[start + 1] ?? 0;
  const third = bytes[start + 2] ?? 0;
  const version = (second >> 3) & 3; // 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5
  const isFirst = version === 3;
  const sampleRate = (SAMPLE_RATES[(third >> 2) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (sampleRate === 0) return undefined;
  const samplesPerFrame = isFirst ? 1152 : 576;
  const frames = frameCount(bytes, start);
  if (frames !== undefined) return (frames * samplesPerFrame) / sampleRate;
  const bitRate = (BIT_RATES[isFirst ? 0 : 1][third >> 4] ?? 0) * 1000;
  return bitRate === 0 ? undefined : ((bytes.length - start) * 8) / bitRate;
}

function frameStart(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < Math.min(bytes.length - 4, from + 64 * 1024); at++)
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe6) === 0xe2) return at;
  return undefined;
}

function frameCount(bytes: Uint8Array, start: number): number | undefined {
  const before = start + 256;
  const xing =
    findMark(bytes, "Xing", { from: start, before }) ??
    findMark(bytes, "Info", { from: start, before });
  if (xing !== undefined && ((bytes[xing + 7] ?? 0) & 1) === 1)
    return numberAt(bytes, xing + 8, { length: 4 });
  const vbri = findMark(bytes, "VBRI", { from: start, before });
  return vbri === undefined ? undefined : numberAt(bytes, vbri + 14, { length: 4 });
}

/** The box `mvhd` of the movie has its units per second, and how many of them it lasts. */
function boxSeconds(bytes: Uint8Array): number | undefined {
  const movie = boxIn(bytes, "moov", { from: 0, end: bytes.length });
  const header = movie && boxIn(bytes, "mvhd", movie);
  if (header === undefined) return undefined;
  const isLong = bytes[header.from] === 1;
  const scaleAt = header.from + (isLong ? 20 : 12);
  const scale = numberAt(bytes, scaleAt, { length: 4 });
  const duration = numberAt(bytes, scaleAt + 4, { length: isLong ? 8 : 4 });
  return scale === undefined || scale === 0 || duration === undefined
    ? undefined
    : duration / scale;
}

type Span = { readonly from: number; readonly end: number };

/** Returns the contents of the first box with this name. */
function boxIn(bytes: Uint8Array, name: string, { from, end }: Span): Span | undefined {
  let at = from;
  for (let count = 0; count < MAX_PARTS && at + 8 <= end; count++) {
    const short = numberAt(bytes, at, { length: 4 }) ?? 0;
    const header = short === 1 ? 16 : 8;
    const length =
      short === 1 ? numberAt(bytes, at + 8, { length: 8 }) : short === 0 ? end - at : short;
    if (length === undefined || length < header) return undefined;
    if (hasMark(bytes, name, at + 4)) return { from: at + header, end: Math.min(end, at + length) };
    at += length;
  }
  return undefined;
}
