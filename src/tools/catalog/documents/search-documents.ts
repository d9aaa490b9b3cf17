// Documents on demand: what tools search in files, pages and repositories that are named while a run goes on.
//
//   DOD1. Each source has a collection of its own: a question to one document is never answered from another.
//   DOD2. A name for the collection shares it, on purpose, with all tools of the tenant that give the same name.
//   DOD3. Every passage says where it stands, and what could not be read is told.
//   DOD4. Where nobody says how near is near, the embedder does.
import { digestHex } from "../../../base/bytes.ts";
import type { JsonValue } from "../../../base/json.ts";
import { demandCollection, type UnreadDocument } from "../../../knowledge/demanded-collection.ts";
import { citedText, placeTexts } from "../../../knowledge/place.ts";
import { knowledgeKeeper } from "../../../knowledge/process-knowledge.ts";
import { queryKnowledge, type Snippet } from "../../../knowledge/query-knowledge.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { Embedder } from "../../../vectors/embedder.ts";
import { toolResult, type ResultSource, type ToolResult } from "../../tool-result.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { namedEmbedder, type SearchOptions } from "./search-options.ts";

/** What is asked, and of what. */
export type DocumentQuestion = {
  readonly className: string;
  readonly query: string;
  readonly limit?: number | undefined;
  readonly similarity?: number | undefined;
  readonly options: SearchOptions;
  readonly places: readonly DocumentPlace[];
};

export const NOTHING_FOUND = "No relevant content found.";
const MAX_NAMED = 10;
const MAX_SNIPPET = 300;

/** Makes the places findable, those that are not, and answers with passages from them. */
export async function searchDocuments(io: ToolIo, asked: DocumentQuestion): Promise<ToolResult> {
  const { query, options, places } = asked;
  if (query.trim() === "")
    throw serviceFailure({ code: "bad_request", message: "The question is empty: ask something." });
  const keeper = await knowledgeKeeper(io.scope);
  const service = await withReaders(keeper.service);
  const embedder = namedEmbedder(options, service) ?? service.embedder;
  const collections = new Set<string>();
  const unread: UnreadDocument[] = [];
  for (const place of places) {
    const { key, maxAgeMs, version, documents } = place;
    // oxlint-disable-next-line no-await-in-loop -- one document's text in memory at a time
    const own = await ownName(asked, { key, tenant: service.tenant, model: embedder.model });
    const { collectionName: collection = own } = options;
    collections.add(collection);
    const id = collection === own ? undefined : `${collection}#${own}`;
    const demand = { collection, id, embedder, maxAgeMs, version, documents };
    // oxlint-disable-next-line no-await-in-loop -- as above
    unread.push(...(await demandCollection(io.scope, { ...keeper, service }, demand)));
  }
  if (places.length === 0 && options.collectionName !== undefined)
    collections.add(options.collectionName);
  const snippets = await foundIn([...collections], { asked, service, embedder, io });
  return answer(snippets, unread, asked);
}

/** The name of the collection of a place (DOD1). */
async function ownName(
  { className }: DocumentQuestion,
  { key, tenant, model }: { readonly key: string; readonly tenant: string; readonly model: string },
): Promise<string> {
  const text = JSON.stringify([tenant, className, key, model]);
  return `tool/${(await digestHex(new TextEncoder().encode(text))).slice(0, 32)}`;
}

/** With the readers of all kinds of document: those of PDF, DOCX, XLSX and HTML are loaded when a tool is first asked. */
async function withReaders(service: KnowledgeService): Promise<KnowledgeService> {
  const { DOCUMENT_READERS } = await import("../../../knowledge/readers/document-readers.ts");
  const known = new Set(service.readers.map(({ name }) => name));
  const others = DOCUMENT_READERS.filter(({ name }) => !known.has(name));
  return others.length === 0 ? service : { ...service, readers: [...service.readers, ...others] };
}

/** The passages of all collections that fit the question, best first. */
async function foundIn(
  collections: readonly string[],
  {
    asked,
    service,
    embedder,
    io,
  }: {
    readonly asked: DocumentQuestion;
    readonly service: KnowledgeService;
    readonly embedder: Embedder;
    readonly io: ToolIo;
  },
): Promise<readonly Snippet[]> {
  const { query, options } = asked;
  const { limit = options.limit, similarity = options.similarityThreshold } = asked;
  const found: Snippet[] = [];
  for (const collection of collections) {
    const question = { collection, queries: [query], limit, scoreThreshold: similarity, embedder };
    // oxlint-disable-next-line no-await-in-loop -- few, and each may ask a remote index
    const { snippets } = await queryKnowledge(service, question, io.context.signal);
    found.push(...snippets);
  }
  if (collections.length === 1) return found;
  return found.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0)).slice(0, limit);
}

function answer(
  snippets: readonly Snippet[],
  unread: readonly UnreadDocument[],
  { places }: DocumentQuestion,
): ToolResult {
  const notes = unread
    .slice(0, MAX_NAMED)
    .map(({ name, error }) => `[not read: ${name}: ${error}]`)
    .concat(unread.length > MAX_NAMED ? [`[${unread.length - MAX_NAMED} more not read]`] : []);
  const found =
    snippets.length === 0
      ? NOTHING_FOUND
      : `Relevant Content:\n${snippets.map(citedText).join("\n\n")}`;
  return toolResult({
    text: [found, ...notes].join("\n\n"),
    data: snippets.map(asData),
    sources: sourcesOf(snippets),
    untrusted: places.length === 0 ? ["documents"] : places.map(({ label }) => label),
  });
}

function asData(snippet: Snippet): JsonValue {
  const { document, text, score } = snippet;
  return { document: document.name, place: placeTexts(snippet).join(", "), text, score };
}

/** A source for each document, with the first passage of it. */
function sourcesOf(snippets: readonly Snippet[]): readonly ResultSource[] {
  const sources = new Map<string, ResultSource>();
  for (const snippet of snippets) {
    const { document, text } = snippet;
    if (sources.has(document.name)) continue;
    const title = [document.name, ...placeTexts(snippet)].join(", ");
    const quoted = text.trim().slice(0, MAX_SNIPPET).toWellFormed();
    sources.set(document.name, { url: document.name, title, snippet: quoted });
  }
  return [...sources.values()];
}
