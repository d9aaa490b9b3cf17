// Files that stand for much. What is made of them is bounded, and others run meanwhile.
import { describe, expect, it } from "vitest";
import { chunksOf } from "../../../../src/knowledge/chunk.ts";
import { DOCUMENT_LIMITS } from "../../../../src/knowledge/load-document.ts";
import { TEXT_READERS } from "../../../../src/knowledge/readers/text-reader-list.ts";
import { DOCUMENT_READERS } from "../../../../src/knowledge/readers/document-readers.ts";
import { HOSTILE_DOCUMENTS, type HostileDocument } from "../../../support/hostile-documents.ts";
import { computedMs } from "../../../support/computed-ms.ts";

/** For slow machines; each takes a few tenths of a second at most. */
const GENEROUS_MS = 10_000;

async function outcome({ reader: name, bytes }: HostileDocument) {
  const reader = [...DOCUMENT_READERS, ...TEXT_READERS].find((each) => each.name === name);
  if (reader === undefined) throw new Error(`there is no reader ${name}`);
  const file = bytes();
  expect(file.length).toBeLessThanOrEqual(DOCUMENT_LIMITS.maxBytes);
  const started = computedMs();
  let last = started;
  let longestMs = 0;
  const others = setInterval(() => {
    const now = computedMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 0);
  const read = await reader.read(file, DOCUMENT_LIMITS).then(
    (document) => ({
      length: document.text.length,
      chunks: countOf(chunksOf(document)),
      error: "",
    }),
    (error: unknown) => ({ length: 0, chunks: 0, error: String(error) }),
  );
  clearInterval(others);
  const now = computedMs();
  return {
    ...read,
    tookMs: now - started,
    longestMs: Math.max(longestMs, now - last),
  };
}

/** Up to what is kept of a document. */
function countOf(chunks: Iterator<unknown>): number {
  let count = 0;
  while (count < 20_001 && chunks.next().done !== true) count++;
  return count;
}

describe("RW1, RZ1, PS1, PS2, PS3, PS4: hostile documents", () => {
  it.each(HOSTILE_DOCUMENTS.map((document) => [document.name, document] as const))(
    "%s",
    async (_, document) => {
      const { error, length, tookMs, longestMs } = await outcome(document);
      if (process.env["SHOW"] !== undefined)
        console.log(document.reader, document.name, {
          length,
          tookMs,
          longestMs,
          error,
        });
      expect(error).toMatch(document.fails ?? /^$/);
      expect(length).toBeLessThanOrEqual(DOCUMENT_LIMITS.maxCharacters);
      expect(tookMs).toBeLessThan(GENEROUS_MS);
      expect(longestMs).toBeLessThan(GENEROUS_MS / 2);
    },
    120_000,
  );
});
