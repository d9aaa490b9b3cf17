// Checks and changes of a PDF's streams, before a library unpacks them.
//
//   PS1. Streams needed for text have bounded unpacked sizes, each and together; so has each list of streams.
//   PS2. Pictures and attached files are never unpacked: their filter is removed in the copy.
//   PS3. The number of painted pieces of a page is bounded, for any nesting.
//   PS4. Opaque content is refused: streams packed twice or encrypted, disguised dictionaries.
import { unzlibSync } from "fflate";
import { EngineError } from "../../base/error.ts";
import { checkForms, type PdfObject } from "./pdf-forms.ts";
import type { ReadingWork } from "./reading-work.ts";
import { flateSize, fromAscii, lzwSize, runLengthSize } from "./unpacked-size.ts";

const MAX_STREAM_BYTES = 32 * 1024 * 1024;
const MAX_ALL_BYTES = 128 * 1024 * 1024;

const FILTERS: Readonly<Record<string, "flate" | "lzw" | "run" | 85 | 16>> = {
  FlateDecode: "flate",
  Fl: "flate",
  LZWDecode: "lzw",
  LZW: "lzw",
  RunLengthDecode: "run",
  RL: "run",
  ASCII85Decode: 85,
  A85: 85,
  ASCIIHexDecode: 16,
  AHx: 16,
};

/** Returns a pattern for a name in which each letter may be its code. */
function nameFinder(name: string): string {
  const letters = Array.from(name, (each) => `(?:${each}|#${each.charCodeAt(0).toString(16)})`);
  return `/${letters.join("")}`;
}

const ENCRYPT = new RegExp(`${nameFinder("Encrypt")}\\s*(?:\\d|<<)`, "i");
const FORM = new RegExp(nameFinder("Form"), "i");
/** Name of a list (CMap) of East Asian encodings. `Identity` is none. */
const ENCODING_LIST = /\/Encoding\s*\/((?!Identity)[A-Za-z0-9-]{1,30}-[HV])\b/g;

/** A copy of a PDF whose streams are safe to unpack. */
export type BoundedPdf = {
  readonly bytes: Uint8Array;
  /** Number of pictures, without those that are masks of others. */
  readonly pictures: number;
  readonly embeddedFiles: number;
  /** Number of areas on pages: fields, comments and links. */
  readonly areas: number;
  /** True if fields or comments occur. */
  readonly hasFields: boolean;
  /** Encodings of fonts by lists that the library for PDF does not have. */
  readonly unknownEncodings: readonly string[];
  /** True for a form whose content is XML (XFA). */
  readonly hasXmlForm: boolean;
};

/** Checks a PDF, and returns its copy. Throws `limit_exceeded` or `invalid_input`. */
export async function boundedPdf(bytes: Uint8Array, work: ReadingWork): Promise<BoundedPdf> {
  const copy = bytes.slice();
  const text = latin1(bytes);
  if (ENCRYPT.test(text))
    throw new EngineError(
      "invalid_input",
      "the PDF is encrypted, if only against changes: save it without protection",
    );
  const sizes = new Map<string, number>();
  const hasForms = FORM.test(text);
  const objects: PdfObject[] = hasForms ? [...plainObjects(text)] : [];
  const lists = [text];
  const beside = { pictures: new Set<string>(), masks: new Set<string>(), embeddedFiles: 0 };
  let all = 0;
  for (const { head, headAt, dataAt, endAt, object } of streamsOf(text)) {
    const data = bytes.subarray(dataAt);
    const { size, disarmAt, packed } = sizeOf(head, data);
    const dictionary = plainNames(head);
    if (disarmAt !== undefined) copy[headAt + disarmAt] = "X".charCodeAt(0);
    if (/\/Subtype\s*\/Image\b/.test(head)) beside.pictures.add(object);
    if (/\/Type\s*\/EmbeddedFile\b/.test(head)) beside.embeddedFiles++;
    const mask = /\/S?Mask\s+(\d{1,10})\s+\d{1,5}\s+R/.exec(head)?.[1];
    if (mask !== undefined) beside.masks.add(mask);
    all += packed === undefined && disarmAt === undefined ? endAt - dataAt : size;
    if (size > MAX_STREAM_BYTES || all > MAX_ALL_BYTES) throw tooMuch();
    sizes.set(object, Math.max(size, sizes.get(object) ?? 0));
    const content = (): string | undefined =>
      packed === undefined ? text.slice(dataAt, endAt) : contentOf(packed, size);
    if (/\/First\b/.test(dictionary)) {
      const inner = content();
      if (inner === undefined || />>\s*stream/.test(inner.replaceAll(/%[^\r\n]*/g, "")))
        throw disguised();
      lists.push(inner);
      if (hasForms) objects.push(...objectsIn(inner));
    } else if (hasForms && disarmAt === undefined && !/\/Length1/.test(dictionary)) {
      const said = content();
      if (said === undefined && /\/Form/.test(dictionary)) throw disguised();
      objects.push({ number: object, text: dictionary, content: said });
    }
    work.spend(head.length + size / 20);
    await work.pause();
  }
  for (const each of lists)
    for (const sum of listsOf(each, sizes)) if (sum > MAX_ALL_BYTES) throw tooMuch();
  checkForms(objects);
  const has = (name: string): boolean => lists.some((each) => each.includes(name));
  return {
    bytes: copy,
    pictures: [...beside.pictures].filter((each) => !beside.masks.has(each)).length,
    embeddedFiles: beside.embeddedFiles,
    areas: lists.reduce((sum, each) => sum + countOf(each, "/Rect"), 0),
    hasFields: ["/Widget", "/FreeText", "/Popup", "/FileAttachment"].some(has),
    unknownEncodings: lists.flatMap((each) =>
      Array.from(each.matchAll(ENCODING_LIST), ([, name = ""]) => name),
    ),
    hasXmlForm: has("/XFA"),
  };
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) count++;
  return count;
}

/** Objects of a PDF, by number; of several with one number, the last one counts. */
export type PdfObjects = {
  readonly bytes: Uint8Array;
  readonly byNumber: ReadonlyMap<string, readonly PdfObject[]>;
  readonly streams: ReadonlyMap<string, PdfStream>;
};

/** Returns the objects of a PDF that `boundedPdf` has accepted. */
export async function pdfObjects(bytes: Uint8Array, work: ReadingWork): Promise<PdfObjects> {
  const text = latin1(bytes);
  const objects = [...plainObjects(text)];
  const streams = new Map<string, PdfStream>();
  for (const stream of streamsOf(text)) {
    streams.set(stream.object, stream);
    if (/\/First\b/.test(plainNames(stream.head)))
      objects.push(...objectsIn(decodedContent(bytes, stream) ?? ""));
    work.spend(stream.head.length);
    await work.pause();
  }
  return { bytes, byNumber: Map.groupBy(objects, ({ number }) => number), streams };
}

/** Returns the unpacked content of a stream, as a letter for each byte; undefined for unsupported packing. */
export function decodedContent(bytes: Uint8Array, stream: PdfStream): string | undefined {
  const data = bytes.subarray(stream.dataAt, stream.endAt);
  const { size, packed, disarmAt } = sizeOf(stream.head, data);
  if (disarmAt !== undefined) return undefined;
  return packed === undefined ? latin1(data) : contentOf(packed, size);
}

type Packed = { readonly by: "flate" | "lzw" | "run" | undefined; readonly bytes: Uint8Array };

/** Returns the content of a stream; undefined for a broken one, or for an unsupported packing. */
function contentOf({ by, bytes }: Packed, size: number): string | undefined {
  if (by === undefined) return latin1(bytes);
  if (by !== "flate") return undefined;
  try {
    return latin1(unzlibSync(bytes, { out: new Uint8Array(size) }));
  } catch {
    return undefined;
  }
}

/** Yields objects without a stream. */
function* plainObjects(text: string): Generator<PdfObject> {
  let length = 0;
  for (const { index, 0: match, 1: number = "" } of text.matchAll(
    /(\d{1,10})\s{1,9}\d{1,5}\s{0,9}obj(?![A-Za-z])/g,
  )) {
    const start = index + match.length;
    const longest = text.slice(start, start + MAX_OBJECT);
    const end = longest.indexOf("endobj");
    const object = end === -1 ? longest : longest.slice(0, end);
    // Objects follow one another; overlapping ones would be read again and again.
    length += object.length;
    if (length > 2 * text.length + MAX_OBJECT) throw disguised();
    if (!/>>\s*stream/.test(object)) yield { number, text: object };
  }
}

/** Yields objects inside a stream, after a list of their numbers and places. */
function* objectsIn(text: string): Generator<PdfObject> {
  const list = /\s*(\d{1,10})\s+(\d{1,10})(?=\s)/y;
  const places: Array<{ readonly number: string; readonly at: number }> = [];
  for (let found = list.exec(text); found !== null; found = list.exec(text))
    places.push({ number: found[1] ?? "", at: Number(found[2]) });
  const start = text.search(/<<|\[/);
  for (const [index, { number, at }] of places.entries())
    yield { number, text: text.slice(start + at, start + (places[index + 1]?.at ?? text.length)) };
}

const MAX_OBJECT = 64 * 1024;

export type PdfStream = {
  readonly head: string;
  readonly headAt: number;
  readonly dataAt: number;
  readonly endAt: number;
  readonly object: string;
};

/** Yields each `stream` after a dictionary, independent of the table of contents. */
function* streamsOf(text: string): Generator<PdfStream> {
  let headAt = 0;
  let object = "";
  /** Next `>>` after the start of an object, and next `endstream` after a stream. */
  let closeAt = indexIn(text, ">>", 0);
  let endAt = -1;
  for (const { index, 0: word } of text.matchAll(/(?<![A-Za-z])obj(?![A-Za-z])|(?<!end)stream/g)) {
    if (word === "obj") {
      const before = text.slice(Math.max(0, index - 40), index);
      object = /(\d{1,10})\s{1,9}\d{1,5}\s{0,9}$/.exec(before)?.[1] ?? "";
      headAt = index + word.length;
      if (closeAt < headAt) closeAt = indexIn(text, ">>", headAt);
      continue;
    }
    // With a comment before it, it begins a line.
    const before = text.slice(Math.max(headAt, index - 64), index);
    if (!/(?:^|>>|[\r\n])\s*$/.test(before) || closeAt >= index) continue;
    const line = /\r\n?|\n/g;
    line.lastIndex = index;
    const end = line.exec(text);
    if (end === null) continue;
    const dataAt = end.index + end[0].length;
    if (endAt < dataAt) endAt = indexIn(text, "endstream", dataAt);
    yield { head: text.slice(headAt, index), headAt, dataAt, endAt, object };
  }
}

/** Returns the place of a word, or the end of the text. */
function indexIn(text: string, word: string, from: number): number {
  const at = text.indexOf(word, from);
  return at === -1 ? text.length : at;
}

/** Returns the unpacked size of a stream; for one not needed for text, the place of its filter to remove. */
function sizeOf(
  head: string,
  data: Uint8Array,
): {
  readonly size: number;
  readonly disarmAt?: number;
  readonly packed?: Packed;
} {
  const plain = plainNames(head);
  if (!/^\s*<</.test(head) || plain.split("/Filter").length !== head.split("/Filter").length)
    throw disguised();
  const filterAt = head.indexOf("/Filter");
  if (filterAt === -1) return { size: 0 };
  if (head.includes("/Filter", filterAt + 7)) throw disguised();
  const named = /^\s*(?:\[([^\]]*)\]|(\/[A-Za-z0-9]+))/.exec(head.slice(filterAt + 7));
  if (named === null) throw disguised();
  const names = [...(named[1] ?? named[2] ?? "").matchAll(/\/([A-Za-z0-9]+)/g)].map(
    ([, name = ""]) => name,
  );
  const steps = names.map((name) => FILTERS[name]);
  const isBeside = /\/Subtype\s*\/Image\b|\/Type\s*\/EmbeddedFile\b/.test(head);
  if (isBeside || steps.includes(undefined)) return { size: 0, disarmAt: filterAt + 6 };
  if (steps.length === 0) return { size: 0 };
  let bytes = data;
  for (const [index, by] of steps.entries())
    if (by === 85 || by === 16) bytes = fromAscii(bytes, by);
    else if (index < steps.length - 1) throw disguised();
    else if (by === "flate")
      return { size: flateSize(bytes, MAX_STREAM_BYTES), packed: { by, bytes } };
    else if (by === "run")
      return { size: runLengthSize(bytes, MAX_STREAM_BYTES), packed: { by, bytes } };
    else if (by === "lzw") {
      const isLate = /\/EarlyChange\s+0\b/.test(plain);
      return { size: lzwSize(bytes, MAX_STREAM_BYTES, isLate), packed: { by, bytes } };
    }
  return { size: bytes.length, packed: { by: undefined, bytes } };
}

/** Replaces codes in names with their letters. */
function plainNames(text: string): string {
  return text.replaceAll(/#([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** Yields the total size of each list of references: it may be the contents of a page. */
function* listsOf(text: string, sizes: ReadonlyMap<string, number>): Generator<number> {
  const reference = /\s*(\d{1,10})\s+\d{1,5}\s+R/y;
  for (let at = text.indexOf("["); at !== -1; at = text.indexOf("[", at + 1)) {
    let sum = 0;
    reference.lastIndex = at + 1;
    for (let found = reference.exec(text); found !== null; found = reference.exec(text))
      sum += sizes.get(found[1] ?? "") ?? 0;
    if (sum > 0) yield sum;
  }
}

const PIECE = 32 * 1024;

/** Returns a letter for each byte. */
function latin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return pieces.join("");
}

function tooMuch(): EngineError {
  return new EngineError(
    "limit_exceeded",
    `the PDF unpacks to more than ${MAX_STREAM_BYTES} bytes for one stream or ${MAX_ALL_BYTES} for all without its pictures, which is too much to read: split it up`,
  );
}

function disguised(): EngineError {
  return new EngineError(
    "invalid_input",
    "the PDF has streams with repeated or unusual compression: save it again with another program",
  );
}
