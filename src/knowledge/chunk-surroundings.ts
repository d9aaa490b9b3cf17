import type { KnowledgeChunk } from "./knowledge-store.ts";

/** Length of a neighbour's text around a chunk, in characters. */
const MAX_AROUND = 300;

/** Adds the text around each chunk of a document: the end of the one before it, and the beginning of the next. */
export function withSurroundings(chunks: readonly KnowledgeChunk[]): KnowledgeChunk[] {
  return chunks.map((chunk, place) => {
    const before = chunks[place - 1]?.text.slice(-MAX_AROUND) ?? "";
    const after = chunks[place + 1]?.text.slice(0, MAX_AROUND) ?? "";
    const around = [before, after].filter((text) => text !== "").join("\n");
    return around === "" ? chunk : { ...chunk, around: around.toWellFormed() };
  });
}
