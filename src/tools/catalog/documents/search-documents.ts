// Documents on demand: search in files, pages and repositories named during a run.
//
//   DOD1. Each source has its own collection: a question to one document is never answered from another.
//   DOD2. A named collection is shared on purpose with all tools of the tenant using the same name.
//   DOD3. Every passage has its location. Unreadable documents are reported and do not affect the rest.
//   DOD4. Without a similarity threshold, the embedder's default applies.
import { digestHex } from "../../../base/bytes.ts";
import { EngineError } from "../../../base/error.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import type { OnDemandKnowledge, Passage, UnreadDocument } from "../../../knowledge/on-demand.ts";
import { passageData } from "../../../knowledge/on-demand.ts";
import { toolResult, type ResultSource, type ToolResult } from "../../tool-result.ts";
import { isServiceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { namedEmbedder, type SearchOptions } from "./search-options.ts";

/** Query and sources of a search. */
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

/** Indexes the unindexed places and returns passages from all of them. */
export async function searchDocuments(io: ToolIo, asked: DocumentQuestion): Promise<ToolResult> {
  const { query, options, places, className } = asked;
  const knowledge = await knowledgeOf(io, asked);
  const embedder = knowledge.embedder(namedEmbedder(options));
  const { collectionName: shared } = options;
  const collections = new Set(places.length === 0 && shared !== undefined ? [shared] : []);
  const unread: UnreadDocument[] = [];
  const failures: EngineError[] = [];
  for (const { key, maxAgeMs: usual, ...place } of places) {
    const maxAgeMs = usual && (options.maxAgeSeconds ?? usual / 1000) * 1000;
    const own = JSON.stringify([knowledge.tenant, className, key, embedder.model]);
    const hash = (await digestHex(new TextEncoder().encode(own))).slice(0, 32);
    const collection = shared ?? `tool/${hash}`;
    const id = shared === undefined ? undefined : `${shared}#${hash}`;
    collections.add(collection);
    try {
      const demand = { ...place, maxAgeMs, collection, id, embedder };
      unread.push(...(await knowledge.demand(io.scope, demand)));
    } catch (error) {
      if (!EngineError.is(error) || !isOfSource(error)) throw error;
      failures.push(error);
      unread.push({ name: place.label, error: error.message });
    }
  }
  const [failure] = failures;
  if (failure !== undefined && failures.length === places.length) throw failure;
  const { limit = options.limit, similarity = options.similarityThreshold } = asked;
  const question = { collections: [...collections], query, limit, similarity, embedder };
  return answer(await knowledge.find(question, io.context.signal), unread, asked);
}

/** True if an error concerns one source only. */
function isOfSource(error: EngineError): boolean {
  return CODES.has(error.code) || isServiceFailure(error);
}

const CODES: ReadonlySet<string> = new Set(["invalid_input", "limit_exceeded", "not_found"]);

/**
 * Returns the knowledge store, with readers of all kinds, which load on the first call. Fails with
 * `invalid_definition`.
 */
async function knowledgeOf(
  io: ToolIo,
  { className, options }: DocumentQuestion,
): Promise<OnDemandKnowledge> {
  const service = requiredKnowledge(className, options.knowledge ?? io.services.knowledge);
  const { DOCUMENT_READERS } = await import("../../../knowledge/readers/document-readers.ts");
  const readers = [...service.readers, ...DOCUMENT_READERS];
  return service.onDemand({ ...service, readers });
}

type OnDemandService = KnowledgeService & Required<Pick<KnowledgeService, "onDemand">>;

function requiredKnowledge(
  className: string,
  service: KnowledgeService | undefined,
): OnDemandService {
  if (service?.onDemand !== undefined) return service as OnDemandService;
  throw invalidDefinition(
    `${className} keeps what it reads with the deployment's knowledge, which this run does not have: set \`knowledge: knowledge()\` in defineApp(), or pass knowledgeService() as services.knowledge of the run, both of edgecrew/knowledge`,
  );
}

/** Creates the check that rejects runs without a knowledge store before their start. */
export function checkKnowledge(
  className: string,
): (services: RunServices, options: Readonly<Record<string, unknown>>) => void {
  return ({ knowledge }, { knowledge: own = knowledge }) =>
    void requiredKnowledge(className, own as KnowledgeService | undefined);
}

function answer(
  passages: readonly Passage[],
  unread: readonly UnreadDocument[],
  { places }: DocumentQuestion,
): ToolResult {
  const notes = unread
    .slice(0, MAX_NAMED)
    .map(({ name, error }) => `[not read: ${name}: ${error}]`)
    .concat(unread.length > MAX_NAMED ? [`[${unread.length - MAX_NAMED} more not read]`] : []);
  const cited = passages.map((each) => each.cited).join("\n\n");
  const found = passages.length === 0 ? NOTHING_FOUND : `Relevant Content:\n${cited}`;
  return toolResult({
    text: [found, ...notes].join("\n\n"),
    data: passages.map(passageData),
    sources: sourcesOf(passages),
    untrusted: places.length === 0 ? ["documents"] : places.map(({ label }) => label),
  });
}

/** Returns a source for each document, with its first passage. */
function sourcesOf(passages: readonly Passage[]): readonly ResultSource[] {
  const sources = new Map<string, ResultSource>();
  for (const { document, place, text } of passages) {
    const title = place === "" ? document : `${document}, ${place}`;
    const snippet = text.trim().slice(0, MAX_SNIPPET).toWellFormed();
    if (!sources.has(document)) sources.set(document, { url: document, title, snippet });
  }
  return [...sources.values()];
}
