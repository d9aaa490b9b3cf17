// Passages of an agent's knowledge for a question, within the size of a prompt.
//
//   RTP1. Documents are indexed and searched in recorded steps. Passages are shown only once.
//   RTP2. The best passages come first, up to a number of tokens; at least one, cut to fit.
import { knowledgeOf } from "../../agent/description/owned-sources.ts";
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { citedText } from "../../knowledge/cited-text.ts";
import type { KnowledgeAnswer, Snippet } from "../../knowledge/knowledge-query.ts";
import type { KnowledgeFields } from "../../knowledge/knowledge-view.ts";
import { estimateTokens } from "../../llm/token-estimate.ts";
import { truncatedTo } from "../transforms.ts";

/** Search request: knowledge, queries and limits. */
export type PassagesRequest = {
  /** Name of the agent with the knowledge. */
  readonly name: string;
  readonly knowledge: Omit<KnowledgeFields, "knowledgeConfig">;
  readonly queries: readonly string[];
  /** Ids of passages to skip. */
  readonly shown: readonly string[];
  readonly limit: number;
  readonly scoreThreshold: number | undefined;
  readonly maxTokens: number;
};

/** Passages, each below its place in the document. */
export type Passages = {
  readonly ids: readonly string[];
  readonly text: string;
  /** Places above the passages, in order. */
  readonly places: readonly string[];
};

const MAX_LIMIT = 50;
const MAX_QUERY = 8_000;

/**
 * Finds passages. Throws `invalid_definition` for unavailable knowledge, `invalid_input` for an unreadable document.
 */
export async function retrievePassages(
  place: RunScope,
  request: PassagesRequest,
): Promise<Passages> {
  const { name, knowledge, shown, maxTokens } = request;
  const opened = knowledgeOf(place, {
    ...knowledge,
    label: `agent "${name}"`,
    path: ["conversation", "agent", name],
  });
  if (opened === undefined)
    throw invalidDefinition(
      `agent "${name}" has no source to retrieve from: set retrieveConfig.knowledge`,
    );
  await place.at("index").group("group", async (inside) => {
    for (const [index, collection] of opened.collections.entries())
      await collection.index(inside.at(`${index}`));
    return null;
  });
  const limit = Math.min(MAX_LIMIT, request.limit + shown.length);
  const found = await Promise.all(
    opened.collections.map(async (collection, index) => {
      const at = place.at(`search:${index}`);
      const queries = request.queries.map((query) => query.slice(0, MAX_QUERY));
      const about = { query: cut(queries.join("\n"), MAX_EVENT_TEXT), collection: collection.name };
      const inner = at.open("knowledge_search_query_started", about);
      const { scoreThreshold } = request;
      const { snippets, degraded } = await inner.step<KnowledgeAnswer>({
        kind: "effect",
        run: ({ signal }) => collection.query({ queries, limit, scoreThreshold }, signal),
      });
      at.emit("knowledge_search_query_completed", {
        ...about,
        retrievedKnowledge: cut(snippets.map(citedText).join("\n"), MAX_EVENT_TEXT),
        ...(degraded === undefined ? undefined : { degraded }),
      });
      return snippets;
    }),
  );
  const best =
    found.length === 1
      ? found.flat()
      : found.flat().toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0));
  const ids = best.map(({ id }) => id);
  const fresh = best.filter(({ id }, index) => !shown.includes(id) && ids.indexOf(id) === index);
  return packed(fresh.slice(0, request.limit), maxTokens);
}

function packed(snippets: readonly Snippet[], maxTokens: number): Passages {
  const ids: string[] = [];
  const texts: string[] = [];
  const places: string[] = [];
  let left = maxTokens;
  for (const snippet of snippets) {
    const text = citedText(snippet);
    const tokens = estimateTokens(text);
    if (tokens > left && ids.length > 0) break;
    ids.push(snippet.id);
    places.push(text.slice(0, text.indexOf("\n")));
    texts.push(truncatedTo(text, left, estimateTokens));
    left -= tokens;
  }
  return { ids, text: texts.join("\n\n"), places };
}
