// Knowledge in the work of agents. Nobody imports this but knowledge itself (`Knowledge.kit`, `services.knowledge.kit`).
//
//   KW1. What is searched for is what the agent's model makes of the whole prompt. Where that fails, nothing is searched for.
//   KW2. A search that fails harms no work: an event tells it. A document that cannot be indexed ends the run before its first task.
//   KW3. Each piece names the document and the place that it stands at.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { indexDocument, vectorCollection } from "../knowledge/index-document.ts";
import { knowledgeServiceOf, type KnowledgeService } from "../knowledge/knowledge-service.ts";
import { documentsOf, type DocumentSource } from "../knowledge/knowledge-source.ts";
import {
  queryKnowledge,
  QUERY_LIMITS,
  type KnowledgeAnswer,
  type KnowledgeQuery,
  type Snippet,
} from "../knowledge/query-knowledge.ts";
import { keySegment } from "../journal/step-key.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type {
  KnowledgeKit,
  KnowledgeOwner,
  KnowledgeQuestion,
  KnowledgeShelf,
  KnowledgeShelves,
} from "./knowledge-kit.ts";
import { callModel } from "../model-calls/model-call.ts";
import { fill } from "./prompts.ts";
import { sourcesAtWork } from "./sources-at-work.ts";
import { Transcript } from "../model-calls/transcript.ts";

export const knowledgeKit: KnowledgeKit = {
  sources: sourcesAtWork,
  open: (scope, owner) => {
    const { knowledge, knowledgeSources } = owner.given;
    const shelves: KnowledgeShelf[] = [];
    if (typeof knowledge === "object" && "shelf" in knowledge)
      shelves.push(knowledge.shelf(scope, owner.collection));
    else if (knowledge !== undefined)
      for (const collection of [knowledge].flat())
        shelves.push(new Shelf(installed(scope, owner, "knowledge by name"), { collection }));
    if (knowledgeSources !== undefined) {
      const documents = documentsOf(knowledgeSources, `${owner.label}: knowledgeSources`);
      const service = installed(scope, owner, "knowledgeSources");
      const spec = owner.given.embedder ?? owner.embedder;
      const embedder = spec === undefined ? undefined : embedderOf(service, spec);
      shelves.push(new Shelf(service, { collection: owner.collection, documents, embedder }));
    }
    return shelves;
  },
  search: async (place, question, among) => {
    const query = await queryFor(place, question);
    if (query === undefined) return [];
    const blocks: string[] = [];
    for (const [index, shelves] of among.entries()) {
      const found = await searchAll(place.at(`knowledge:${index}`), query, shelves);
      if (found === "") continue;
      blocks.push(fill(question.prompts.slices.knowledge, { knowledge: found }));
    }
    return blocks;
  },
};

/** A collection in a store. */
export class Shelf implements KnowledgeShelf {
  readonly collection: string;
  readonly service: KnowledgeService;
  readonly embedder: Embedder | undefined;
  readonly #documents: readonly DocumentSource[];
  readonly #key: unknown;

  constructor(
    service: KnowledgeService,
    {
      collection,
      documents = [],
      embedder,
      key,
    }: {
      readonly collection: string;
      readonly documents?: readonly DocumentSource[];
      readonly embedder?: Embedder | undefined;
      readonly key?: unknown;
    },
  ) {
    this.service = service;
    this.collection = collection;
    this.embedder = embedder;
    this.#documents = documents;
    this.#key = key;
  }

  get key(): unknown {
    return this.#key ?? this.collection;
  }

  async index(place: RunScope): Promise<void> {
    const { collection, embedder } = this;
    const at = place.at(`collection:${keySegment(collection)}`);
    const how = embedder === undefined ? { collection } : { collection, embedder };
    for (const source of this.#documents) {
      const { state, error } = await indexDocument(at, this.service, { ...how, source });
      if (state === "failed")
        throw new EngineError(
          "invalid_input",
          `knowledge ${preview(collection)} cannot be had: document ${preview(source.name)}: ${error ?? "it failed"}`,
        );
    }
  }

  query(
    query: Omit<KnowledgeQuery, "collection" | "embedder">,
    signal: AbortSignal,
  ): Promise<KnowledgeAnswer> {
    const { collection, embedder } = this;
    const how = embedder === undefined ? { collection } : { collection, embedder };
    return queryKnowledge(this.service, { ...query, ...how }, signal);
  }

  async reset(): Promise<void> {
    const { tenant, vectors, store, embedder } = this.service;
    const { model } = this.embedder ?? embedder;
    await vectors.open({ tenant, collection: vectorCollection(this.collection), model }).clear();
    await store.deleteCollection(this.collection);
  }
}

/** A piece of a document, below the place that it stands at (KW3). */
export function citedText({ document, page, sheet, row, heading, text }: Snippet): string {
  const at = [
    document.name,
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(sheet === undefined ? [] : [`sheet ${sheet}`]),
    ...(row === undefined ? [] : [`row ${row}`]),
    ...(heading === undefined ? [] : [heading]),
  ];
  return `[${at.join(", ")}]\n${text.trim()}`;
}

/** What is searched for (KW1); undefined when it cannot be said. */
async function queryFor(
  place: RunScope,
  { caller, prompts, prompt, rewrite }: KnowledgeQuestion,
): Promise<string | undefined> {
  if (!rewrite) return prompt.slice(0, QUERY_LIMITS.maxQueryLength);
  const { knowledgeSearchQuerySystemPrompt, knowledgeSearchQuery } = prompts.slices;
  const inner = place.open("knowledge_query_started", { taskPrompt: cut(prompt, MAX_EVENT_TEXT) });
  try {
    const { messages, hash } = new Transcript([
      { role: "system", content: knowledgeSearchQuerySystemPrompt },
      { role: "user", content: fill(knowledgeSearchQuery, { task_prompt: prompt }) },
    ]);
    const request = { messages };
    const { text } = await callModel(inner.at("knowledge-query"), caller, {
      request,
      inputHash: hash,
    });
    const query = text.trim().slice(0, QUERY_LIMITS.maxQueryLength);
    if (query === "") throw new EngineError("model_failed", "the model gave no query");
    place.emit("knowledge_query_completed", { query });
    return query;
  } catch (error) {
    place.emit("knowledge_query_failed", { error: errorMessage(error) });
    return undefined;
  }
}

/** What some collections say, the nearest first; empty where they say nothing. */
async function searchAll(
  place: RunScope,
  query: string,
  { shelves, limit, scoreThreshold }: KnowledgeShelves,
): Promise<string> {
  const found: Snippet[] = [];
  for (const [index, shelf] of shelves.entries()) {
    const at = place.at(`search:${index}`);
    const about = { query, collection: shelf.collection };
    const inner = at.open("knowledge_search_query_started", about);
    try {
      const { snippets, degraded } = await inner.step<KnowledgeAnswer>({
        kind: "effect",
        run: ({ signal }) => shelf.query({ queries: [query], limit, scoreThreshold }, signal),
      });
      found.push(...snippets);
      at.emit("knowledge_search_query_completed", {
        ...about,
        retrievedKnowledge: cut(snippets.map(citedText).join("\n"), MAX_EVENT_TEXT),
        ...(degraded === undefined ? undefined : { degraded }),
      });
    } catch (error) {
      at.emit("knowledge_search_query_failed", { ...about, error: errorMessage(error) });
    }
  }
  const best =
    shelves.length === 1
      ? found
      : found.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0)).slice(0, limit);
  return best.map(citedText).join("\n\n");
}

function installed(scope: RunScope, { label }: KnowledgeOwner, what: string): KnowledgeService {
  const service = knowledgeServiceOf(scope);
  if (service === undefined)
    throw new EngineError(
      "invalid_definition",
      `${label} has ${what}, and no knowledge is kept where it runs: give the run knowledgeService() of edgecrew/knowledge as services.knowledge, or use new Knowledge({ sources })`,
    );
  const { files } = scope.services;
  return service.files !== undefined || files === undefined ? service : { ...service, files };
}

function embedderOf(
  { resolve }: KnowledgeService,
  spec: NonNullable<KnowledgeOwner["embedder"]>,
): Embedder {
  if (typeof spec === "object" && "embed" in spec && typeof spec.embed === "function") return spec;
  if (resolve !== undefined) return resolve(spec);
  throw new EngineError(
    "invalid_definition",
    `embedder must be an Embedder where the deployment makes none of names, got ${preview(spec)}`,
  );
}
