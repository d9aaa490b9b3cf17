import { demandCollection } from "./demanded-collection.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { resolveEmbedder } from "../vectors/embedders/resolve-embedder.ts";
import type { OnDemandKnowledge, Passage } from "./on-demand.ts";
import { citedText, placeTexts } from "./place.ts";
import { queryKnowledge, type Snippet } from "./query-knowledge.ts";

/** What tools can do with the knowledge of a service. */
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
      const found: Snippet[] = [];
      for (const collection of collections) {
        const scoreThreshold = similarity;
        const asked = { collection, queries: [query], limit, scoreThreshold, embedder };
        // oxlint-disable-next-line no-await-in-loop -- few, and each may ask a remote index
        found.push(...(await queryKnowledge(service, asked, signal)).snippets);
      }
      const best =
        collections.length === 1
          ? found
          : found.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0)).slice(0, limit);
      return best.map(asPassage);
    },
  };
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
