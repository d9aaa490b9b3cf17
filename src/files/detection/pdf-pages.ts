// Counts the pages of a PDF without parsing it.
//
// The nodes of its page tree hold the number of pages below them. They are plain text in the file, or in streams of
// packed objects.
import { findMark, latin } from "./byte-reading.ts";
import { joinBytes } from "../../base/bytes.ts";

const MAX_NODES = 20_000;
/** Search distance for the fields of a node, around its type. The list of its children is among them. */
const MAX_NODE = 256 * 1024;
const MAX_STREAMS = 2000;
/** Limit of all streams together, unpacked. */
const MAX_UNPACKED = 32 * 1024 * 1024;

/** Returns the number of pages. Undefined if it cannot be found. */
export async function pdfPages(bytes: Uint8Array): Promise<number | undefined> {
  const plain = highestCount(bytes);
  if (plain !== undefined) return plain;
  let highest: number | undefined;
  let room = MAX_UNPACKED;
  for (const stream of packedObjects(bytes)) {
    if (room <= 0) break;
    const unpacked = await inflated(stream, room);
    room -= unpacked.length;
    const count = highestCount(unpacked);
    if (count !== undefined) highest = Math.max(highest ?? 0, count);
  }
  return highest;
}

/** Returns the largest `/Count` of a node of the page tree. Outlines have counts of their own. */
function highestCount(bytes: Uint8Array): number | undefined {
  let highest: number | undefined;
  let at = findMark(bytes, "/Pages");
  for (let nodes = 0; at !== undefined && nodes < MAX_NODES; nodes++) {
    const count = isType(bytes, at) ? countAround(bytes, at) : undefined;
    if (count !== undefined) highest = Math.max(highest ?? 0, count);
    at = findMark(bytes, "/Pages", { from: at + 6 });
  }
  return highest;
}

/** True if the name at this offset is the complete value of `/Type`. */
function isType(bytes: Uint8Array, at: number): boolean {
  const before = latin(bytes, at - 24, Math.min(24, at));
  return /\/Type\s*$/.test(before) && !/[A-Za-z0-9]/.test(latin(bytes, at + 6, 1));
}

/** The count in the dictionary around a place. */
function countAround(bytes: Uint8Array, at: number): number | undefined {
  const after = latin(bytes, at, MAX_NODE);
  const end = after.indexOf(">>");
  const behind = /\/Count\s+(\d{1,9})\b/.exec(end < 0 ? after : after.slice(0, end));
  if (behind !== null) return Number(behind[1]);
  const from = Math.max(0, at - MAX_NODE);
  const before = latin(bytes, from, at - from);
  const start = before.lastIndexOf("<<");
  const ahead = /\/Count\s+(\d{1,9})\b/.exec(start < 0 ? "" : before.slice(start));
  return ahead === null ? undefined : Number(ahead[1]);
}

/** Returns streams of packed objects with the usual compression. */
function* packedObjects(bytes: Uint8Array): Generator<Uint8Array> {
  let at = findMark(bytes, "/ObjStm");
  for (let count = 0; at !== undefined && count < MAX_STREAMS; count++) {
    const start = findMark(bytes, "stream", { from: at, before: at + 4096 });
    if (start !== undefined) {
      const from = start + 6 + (latin(bytes, start + 6, 2) === "\r\n" ? 2 : 1);
      const end = findMark(bytes, "endstream", { from });
      if (end !== undefined) yield bytes.subarray(from, end);
    }
    at = findMark(bytes, "/ObjStm", { from: at + 7 });
  }
}

/** Unpacks a stream, up to the first damage or until the room is used up. */
async function inflated(packed: Uint8Array, room: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Blob([new Uint8Array(packed)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  try {
    while (length < room) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
  } catch {
    // Bytes before the damage count. The line end before `endstream` is no part of the stream and raises an error, too.
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  return joinBytes(pieces);
}
