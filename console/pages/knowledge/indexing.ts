// Progress of documents, from the events of the runs that index them, and places of chunks in words.
import type { Chunk, Snippet } from "./types.ts";

export type Indexing = {
  readonly name: string;
  readonly runId: string;
  readonly state: "sending" | "indexing" | "ready" | "failed";
  readonly indexed?: number;
  readonly chunks?: number;
  readonly error?: string;
};

/** Entries by run and name. */
export type IndexingMap = Readonly<Record<string, Indexing>>;

type IndexingEvent = { readonly type: string; readonly runId?: string } & Readonly<
  Record<string, unknown>
>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Applies an event. Returns the same map if the event is not about a document. */
export function applyIndexing(map: IndexingMap, event: IndexingEvent): IndexingMap {
  const { type, runId = "" } = event;
  if (type === "run_failed" || type === "run_cancelled") return ended(map, event);
  if (!type.startsWith("knowledge_document_")) return map;
  const name = textOf(event["document"]);
  const key = `${runId} ${name}`;
  const before = map[key] ?? { name, runId, state: "indexing" as const };
  return { ...map, [key]: { ...before, ...changeIn(event) } };
}

function changeIn(event: IndexingEvent): Partial<Indexing> {
  switch (event.type) {
    case "knowledge_document_progress":
      return {
        state: "indexing",
        indexed: Number(event["indexed"]),
        chunks: Number(event["chunks"]),
      };
    case "knowledge_document_completed": {
      const chunks = Number(event["chunks"]);
      return { state: "ready", indexed: chunks, chunks };
    }
    case "knowledge_document_failed":
      return { state: "failed", error: textOf(event["error"]) };
    default:
      return { state: "indexing" };
  }
}

/** Marks the unfinished documents of a run that ended early. */
function ended(map: IndexingMap, { runId, type, error }: IndexingEvent): IndexingMap {
  const why =
    type === "run_cancelled"
      ? "the run was cancelled"
      : textOf((error as { readonly message?: unknown } | undefined)?.message) || "the run failed";
  return Object.fromEntries(
    Object.entries(map).map(([key, each]) => [
      key,
      each.runId === runId && each.state === "indexing"
        ? { ...each, state: "failed" as const, error: why }
        : each,
    ]),
  );
}

/** `sheet Prices, row 3`, `page 2`, `“Returns”, line 14` */
export function placeOf(place: Chunk["place"]): string {
  const { sheet, heading, page, row, line } = place;
  return [
    sheet === undefined ? undefined : `sheet ${sheet}`,
    heading === undefined ? undefined : `“${heading}”`,
    page === undefined ? undefined : `page ${page}`,
    row === undefined ? undefined : `row ${row}`,
    line === undefined ? undefined : `line ${line}`,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

type Range = { readonly first: number; readonly last: number };

function range(word: string, one: number | undefined, many: Range | undefined): string | undefined {
  if (many !== undefined) return `${word}s ${many.first}–${many.last}`;
  return one === undefined ? undefined : `${word} ${one}`;
}

/** Like `placeOf`, for a search result. */
export function snippetPlace(snippet: Snippet): string {
  const { sheet, heading, page, pages, row, rows, line, lines } = snippet;
  return [
    sheet === undefined ? undefined : `sheet ${sheet}`,
    heading === undefined ? undefined : `“${heading}”`,
    range("page", page, pages),
    range("row", row, rows),
    range("line", line, lines),
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** Reads a range of a document from an address: `120-480`. */
export function rangeIn(text: string | undefined): { start: number; end: number } | undefined {
  const [, start, end] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? "") ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}

export function overlaps(
  one: { readonly start: number; readonly end: number },
  other: { readonly start: number; readonly end: number },
): boolean {
  return one.start < other.end && other.start < one.end;
}

/** Returns the name of a document from its address: its last part, else its host. */
export function nameOfAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return "";
  const last = url.pathname.split("/").findLast((part) => part !== "");
  return last === undefined ? url.host : decodeURIComponent(last);
}
