// Knowledge used by the agents of one drive of a run.
//
//   KW1. The agent's model turns the whole prompt into a search query. If this fails, there is no search. A model
//        unable to decide (`capabilities.judges` is false) is not asked: the prompt itself is the query.
//   KW2. A failed search does not fail the work: an event reports it. A failed indexing ends the run before its first
//        task.
//   KW3. Each passage names its document, and the place in it.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";
import type { RunScope } from "../events/run-scope.ts";
import { judges } from "../model-calls/judgement.ts";
import { callModel } from "../model-calls/model-call.ts";
import { Transcript } from "../model-calls/transcript.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import { citedText } from "./cited-text.ts";
import type { KnowledgeAnswer, Snippet } from "./knowledge-query.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { documentsOf } from "./knowledge-source.ts";
import type {
  KnowledgeCollection,
  KnowledgeGroup,
  KnowledgeOwner,
  KnowledgeQuestion,
  KnowledgeSession,
} from "./knowledge-view.ts";
import { shortName } from "../base/short-name.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { QUERY_LIMITS } from "./query-knowledge.ts";
import { StoredCollection } from "./stored-collection.ts";

/** Length of a collection's name, which vector stores have behind `knowledge/`. */
const MAX_COLLECTION = VECTOR_LIMITS.maxFieldLength - "knowledge/".length;

export function knowledgeSession(scope: RunScope): KnowledgeSession {
  return {
    open: (owner) => collectionsOf(scope, owner),
    search: async (place, question, groups) => {
      const query = await queryFor(place, question);
      if (query === undefined) return [];
      const texts: string[] = [];
      for (const [index, group] of groups.entries()) {
        const found = await searchGroup(place.at(`knowledge:${index}`), query, group);
        if (found !== "") texts.push(found);
      }
      return texts;
    },
  };
}

function collectionsOf(scope: RunScope, owner: KnowledgeOwner): readonly KnowledgeCollection[] {
  const { label, knowledge, knowledgeSources, embedder: spec } = owner;
  const collection = shortName(owner.collection, MAX_COLLECTION);
  const collections: KnowledgeCollection[] = [];
  if (typeof knowledge === "object" && "openSession" in knowledge)
    collections.push(knowledge.collection(scope, collection));
  else if (knowledge !== undefined)
    for (const name of [knowledge].flat())
      collections.push(
        new StoredCollection(installed(scope, label, "knowledge by name"), { name }),
      );
  if (knowledgeSources !== undefined) {
    const documents = documentsOf(knowledgeSources, `${label}: knowledgeSources`);
    const service = installed(scope, label, "knowledgeSources");
    const embedder = spec === undefined ? undefined : embedderOf(service, spec);
    collections.push(new StoredCollection(service, { name: collection, documents, embedder }));
  }
  return collections;
}

/** Returns the search query (KW1); undefined without one. */
async function queryFor(
  place: RunScope,
  { caller, prompt, rewrite }: KnowledgeQuestion,
): Promise<string | undefined> {
  if (rewrite === undefined || !judges(caller.model))
    return prompt.slice(0, QUERY_LIMITS.maxQueryLength);
  const inner = place.open("knowledge_query_started", { taskPrompt: cut(prompt, MAX_EVENT_TEXT) });
  try {
    const user = replacePlaceholders(rewrite.user, (name) =>
      name === "task_prompt" ? prompt : undefined,
    );
    const { messages, hash } = new Transcript([
      { role: "system", content: rewrite.system },
      { role: "user", content: user },
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

/** Returns the passages of a group's collections for the query, best first; empty without any. */
async function searchGroup(
  place: RunScope,
  query: string,
  { collections, limit, scoreThreshold, usualThreshold }: KnowledgeGroup,
): Promise<string> {
  const found: Snippet[] = [];
  for (const [index, collection] of collections.entries()) {
    const at = place.at(`search:${index}`);
    const about = { query, collection: collection.name };
    const inner = at.open("knowledge_search_query_started", about);
    try {
      const { snippets, degraded } = await inner.step<KnowledgeAnswer>({
        kind: "effect",
        run: ({ signal }) =>
          collection.query({ queries: [query], limit, scoreThreshold, usualThreshold }, signal),
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
    collections.length === 1
      ? found
      : found.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0)).slice(0, limit);
  return best.map(citedText).join("\n\n");
}

function installed({ services }: RunScope, label: string, what: string): KnowledgeService {
  const { knowledge: service, files } = services;
  if (service === undefined)
    throw new EngineError(
      "invalid_definition",
      `${label} has ${what}, but this run has no knowledge store: pass knowledgeService() of edgecrew/knowledge as services.knowledge, or use new Knowledge({ sources })`,
    );
  return service.files !== undefined || files === undefined ? service : { ...service, files };
}

function embedderOf({ resolve }: KnowledgeService, spec: EmbedderSpec): Embedder {
  if (typeof spec === "object" && "embed" in spec && typeof spec.embed === "function") return spec;
  if (resolve !== undefined) return resolve(spec);
  throw new EngineError(
    "invalid_definition",
    `embedder must be an Embedder, because this run cannot resolve embedders by name; got ${preview(spec)}`,
  );
}
