// Vectors of a collection after a change of the embedder.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";
import { sameRun } from "../../parts/same-run.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { keyedRunId } from "../../parts/started-run.ts";
import type { KnowledgeService } from "../knowledge-service.ts";
import { outdatedDocuments } from "../reindex-collection.ts";
import { reindexStart } from "./knowledge-run.ts";
import { collectionPath } from "./schemas.ts";

type Host = Pick<PartHost, "runs" | "randomId" | "clock">;
type ServiceOf = (tenant: string) => KnowledgeService;

/** A search starts one reindex of a collection in this time, in milliseconds. */
const REINDEX_EVERY_MS = 600_000;

/** Starts a reindex of a collection with documents for another embedder, once in ten minutes. */
export async function repairCollection(
  { runs, clock }: Host,
  service: KnowledgeService,
  collection: string,
): Promise<void> {
  if ((await outdatedDocuments(service, { collection })).length === 0) return;
  const slot = Math.floor(clock.now() / REINDEX_EVERY_MS);
  const id = `reindex-${sha256Hex(collection).slice(0, 16)}-${slot}`;
  await runs.start({ id, tenant: service.tenant, ...reindexStart(collection) });
}

export function reindexOperation({ runs, randomId }: Host, serviceOf: ServiceOf): Operation {
  return operation({
    group: "Knowledge",
    pathParams: collectionPath,
    id: "reindexKnowledge",
    sample: { values: { collection: "example" }, after: [{ operation: "addKnowledge" }] },
    method: "post",
    path: "/knowledge/{collection}/reindex",
    scope: "admin",
    summary: "Make the vectors again, for another embedder",
    description:
      "For documents whose vectors another embedder has made, from their stored texts. Searches find them by their words meanwhile, and begin a reindex by themselves.",
    answers: {
      202: {
        description: "The run that makes the vectors",
        shape: startedRunShape,
        headers: ["Location"],
      },
    },
    problems: [400, 404, 409],
    handle: async ({ tenant, params: { collection = "" }, raw }) => {
      const { documents } = await serviceOf(tenant).store.info(collection);
      if (documents === 0)
        throw new EngineError("not_found", `there is no collection ${preview(collection)}`);
      const id = keyedRunId(raw) ?? randomId();
      const start = reindexStart(collection);
      return startedAnswer(sameRun(await runs.start({ id, tenant, ...start }), start));
    },
  });
}
