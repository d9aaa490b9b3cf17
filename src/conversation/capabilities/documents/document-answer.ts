import { changedWork } from "../../../agent/agent-work.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { knowledgeSession } from "../../../knowledge/knowledge-session.ts";
import type { KnowledgeService } from "../../../knowledge/knowledge-service.ts";
import { StoredCollection } from "../../../knowledge/stored-collection.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
import type { Embedder } from "../../../vectors/embedder.ts";
import { askModel } from "../../turns/model-reply.ts";
import type { StepsRequest } from "../../turns/reply-function.ts";
import { retrievePassages } from "../retrieve-passages.ts";
import type { DocumentAnswer } from "./document-state.ts";

/** A question, and the source of its passages. */
export type DocumentQuery = {
  readonly query: string;
  readonly service: KnowledgeService;
  readonly collection: string;
  readonly embedder: Embedder;
  readonly limit: number;
  readonly maxTokens: number;
};

const NOTHING_FOUND = "The documents say nothing about this.";

/** Answers a question from passages, as steps at `place` (DCA3). */
export async function answerFromDocuments(
  place: RunScope,
  { agent, work }: StepsRequest,
  { query, service, collection: name, embedder, limit, maxTokens }: DocumentQuery,
): Promise<DocumentAnswer> {
  const collection = new StoredCollection(service, { name, embedder });
  const { text: passages, places } = await retrievePassages(place, {
    name: agent.name,
    knowledge: {
      knowledge: { collection: () => collection, openSession: knowledgeSession },
    },
    queries: [query],
    shown: [],
    limit,
    scoreThreshold: undefined,
    maxTokens,
  });
  if (places.length === 0) return { query, answer: NOTHING_FOUND, sources: [] };
  const transcript = new Transcript([
    { role: "system", content: agent.systemMessage },
    { role: "user", content: `<passages>\n${passages}\n</passages>\n\nQuestion: ${query}` },
  ]);
  const alone = changedWork(work, { tools: [] });
  const { text } = await askModel(alone, place.at("answer"), { agent, transcript });
  const cited = [...new Set(places)].filter((each) => text.includes(each));
  const sources = cited.length > 0 ? cited : [...new Set(places)];
  const answer = cited.length > 0 ? text : `${text}\n\nPassages: ${sources.join(" ")}`;
  return { query, answer, sources };
}
