// Operations on the Worker itself: liveness, and repair of the run index.
import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import { runId, flag } from "../../parts/schemas.ts";
import { DEFAULT_TENANT, type AppServices } from "../services.ts";
import { shape } from "../../parts/shape.ts";

const reindexBody = z.strictObject({ ids: z.array(runId).min(1).max(100) });

const healthQuery = z.strictObject({
  ready: flag
    .optional()
    .describe(
      "1 also asks the database: 503, which says what to do, where it does not answer or has no tables",
    ),
});

const reindexedShape = shape("Reindexed", () => z.strictObject({ reindexed: z.number() }));

const healthShape = shape("Health", () => z.strictObject({ status: z.literal("ok") }));

const shared = { group: "Service", problems: [] } as const;

export function serviceOperations(services: AppServices): readonly Operation[] {
  return [reindex(services), health(services)];
}

function reindex({ runs }: AppServices): Operation {
  return operation({
    ...shared,
    id: "reindex",
    method: "post",
    path: "/admin/reindex",
    scope: "admin",
    summary: "Rebuild rows of the run index",
    description:
      "For use after a loss of the database: each run writes its row again. Unknown ids are skipped.",
    body: { name: "Reindex", schema: reindexBody, required: true },
    answers: { 200: { description: "The number of reindexed runs", shape: reindexedShape } },
    problems: [400, 413, 415],
    example: { ids: ["example-run"] },
    sample: { run: { id: "example-run" } },
    handle: async ({ tenant, body: { ids } }) => ({
      status: 200,
      json: { reindexed: await runs.reindex(tenant, ids) },
    }),
  });
}

function health({ runs, keys }: AppServices): Operation {
  return operation({
    ...shared,
    id: "health",
    method: "get",
    path: "/healthz",
    scope: "none",
    summary: "Liveness, or readiness",
    query: healthQuery,
    answers: { 200: { description: "The Worker answers", shape: healthShape } },
    problems: [400, 503],
    handle: async ({ query: { ready = false } }) => {
      if (ready) await Promise.all([runs.list({ tenant: DEFAULT_TENANT, limit: 1 }), keys.any()]);
      return { status: 200, json: { status: "ok" } };
    },
  });
}
