import { demandCollection } from "./demanded-collection.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { resolveEmbedder } from "../vectors/embedders/resolve-embedder.ts";
import { citedText } from "./cited-text.ts";
import type { Snippet } from "./knowledge-query.ts";
import type { OnDemandKnowledge, Passage } from "./on-demand.ts";
import { placeTexts } from "./place.ts";
import { queryKnowledge } from "./query-knowledge.ts";

/** Makes the operations of tools on the knowledge of a service. */
export function onDemandKnowledge(service: KnowledgeService): OnDemandKnowledge {
  const { tenant, resolve } = service;
  return {
    tenant,
    embedder: (spec) =>
      spec === undefined
        ? service.embedder
        : (resolve?.(spec) ?? resolveEmbedder(spec, { variables: {} })),
    demand: (scope, demand) => demandCollection(scope, service, demand),
    find: async ({ collections, query, limit, similarity, embedder }, signal) => {
      const lists: (readonly Snippet[])[] = [];
      for (const collection of collections) {
        const scoreThreshold = similarity;
        const asked = { collection, queries: [query], limit, scoreThreshold, embedder };
        lists.push((await queryKnowledge(service, asked, signal)).snippets);
      }
      const best = lists.length === 1 ? lists.flat() : bestOf(lists).slice(0, limit);
      return best.map(asPassage);
    },
  };
}

/** Score in a list without scores, found by words alone. */
const UNKNOWN_SCORE = 0.5;

/**
 * Merges snippets of several collections, nearest first. A snippet found by words alone gets the score of its
 * neighbours.
 */
function bestOf(lists: readonly (readonly Snippet[])[]): readonly Snippet[] {
  const rated = lists.flatMap((list) =>
    list.map((snippet, at) => {
      const before = list.slice(0, at + 1).findLast(({ score }) => score !== null);
      const after = list.slice(at).find(({ score }) => score !== null);
      return { snippet, rating: (before ?? after)?.score ?? UNKNOWN_SCORE };
    }),
  );
  return rated.toSorted((one, other) => other.rating - one.rating).map(({ snippet }) => snippet);
}

function asPassage(snippet: Snippet): Passage {
  const { document, text, score } = snippet;
  return {
    document: document.name,
    place: placeTexts(snippet).join(", "),
    text,
    cited: citedText(snippet),
    score,
  };
}
