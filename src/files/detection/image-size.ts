import { findMark, hasMark, latin, numberAt } from "./byte-reading.ts";

/** Size in pixels, from the file's header. */
export type ImageSize = { readonly width: number; readonly height: number };

/** Maximum number of segments, tags and boxes to read. */
const MAX_PARTS = 10_000;

/** Reads the size in an image's header. Undefined if the header is cut off or invalid. */
export function imageSize(bytes: Uint8Array, mediaType: string): ImageSize | undefined {
  const size = READERS[mediaType]?.(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => ImageSize | undefined>> = {
  "image/png": (bytes) => pair(bytes, [16, 20], { length: 4 }),
  "image/gif": (bytes) => pair(bytes, [6, 8], { length: 2, order: "little" }),
  "image/bmp": bitmapSize,
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
  "image/tiff": tiffSize,
  "image/heic": boxSize,
  "image/heif": boxSize,
  "image/avif": boxSize,
};

type NumberForm = Parameters<typeof numberAt>[2];

function pair(
  bytes: Uint8Array,
  [widthAt, heightAt]: readonly [number, number],
  form: NumberForm,
): ImageSize | undefined {
  const width = numberAt(bytes, widthAt, form);
  const height = numberAt(bytes, heightAt, form);
  return width === undefined || height === undefined ? undefined : { width, height };
}

/** A negative height means that the rows begin at the top. */
function bitmapSize(bytes: Uint8Array): ImageSize | undefined {
  const header = numberAt(bytes, 14, { length: 4, order: "little" });
  if (header === 12) return pair(bytes, [18, 20], { length: 2, order: "little" });
  const size = pair(bytes, [18, 22], { length: 4, order: "little" });
  return size && { width: size.width, height: Math.abs(size.height | 0) };
}

function jpegSize(bytes: Uint8Array): ImageSize | undefined {
  let at = 2;
  for (let count = 0; count < MAX_PARTS && at + 4 <= bytes.length; count++) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const size = pair(bytes, [at + 7, at + 5], { length: 2 });
      return size;
    }
    if (marker === 0xd9 || marker === 0xda) return undefined;
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += isAlone ? 2 : 2 + Math.max(2, numberAt(bytes, at + 2, { length: 2 }) ?? 2);
  }
  return undefined;
}

function webpSize(bytes: Uint8Array): ImageSize | undefined {
  switch (latin(bytes, 12, 4)) {
    case "VP8X": {
      const size = pair(bytes, [24, 27], { length: 3, order: "little" });
      return size && { width: size.width + 1, height: size.height + 1 };
    }
    case "VP8 ": {
      const size = pair(bytes, [26, 28], { length: 2, order: "little" });
      return size && { width: size.width & 0x3fff, height: size.height & 0x3fff };
    }
    case "VP8L": {
      const bits = numberAt(bytes, 21, { length: 4, order: "little" });
      return bits === undefined
        ? undefined
        : { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return undefined;
  }
}

function tiffSize(bytes: Uint8Array): ImageSize | undefined {
  const order = hasMark(bytes, "II") ? "little" : "big";
  const directory = numberAt(bytes, 4, { length: 4, order });
  if (directory === undefined) return undefined;
  const count = Math.min(numberAt(bytes, directory, { length: 2, order }) ?? 0, MAX_PARTS);
  const found: { width?: number | undefined; height?: number | undefined } = {};
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * 12;
    const tag = numberAt(bytes, at, { length: 2, order });
    const isShort = numberAt(bytes, at + 2, { length: 2, order }) === 3;
    if (tag === 256) found.width = numberAt(bytes, at + 8, { length: isShort ? 2 : 4, order });
    if (tag === 257) found.height = numberAt(bytes, at + 8, { length: isShort ? 2 : 4, order });
  }
  const { width, height } = found;
  return width === undefined || height === undefined ? undefined : { width, height };
}

/** HEIC and AVIF have a box with a size for each tile and thumbnail. The largest one is the size of the image. */
function boxSize(bytes: Uint8Array): ImageSize | undefined {
  let largest: ImageSize | undefined;
  let at = findMark(bytes, "ispe");
  for (let count = 0; at !== undefined && count < MAX_PARTS; count++) {
    const size = pair(bytes, [at + 8, at + 12], { length: 4 });
    if (size !== undefined && size.width * size.height > area(largest)) largest = size;
    at = findMark(bytes, "ispe", { from: at + 4 });
  }
  return largest;
}

function area(size: ImageSize | undefined): number {
  return size === undefined ? 0 : size.width * size.height;
}
