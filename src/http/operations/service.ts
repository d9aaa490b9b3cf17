// Operations on the Worker itself: liveness, its API document, and repair of the run index.
import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import { runId } from "../../parts/schemas.ts";
import type { OpenApiDocument } from "../openapi/openapi.ts";
import type { Api } from "../api.ts";
import { DEFAULT_TENANT, type AppServices } from "../services.ts";
import { flag } from "../../parts/schemas.ts";
import { shape } from "../../parts/shape.ts";

const PAGE_HEADERS = {
  "content-type": "text/html; charset=UTF-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

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

export function serviceOperations(services: AppServices, api: () => Api): readonly Operation[] {
  return [reindex(services), health(services), openApi(services, api), docs(services, api)];
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

// The document and its page are loaded on the first request, because only these routes need them.
function openApi({ basePath = "" }: AppServices, api: () => Api): Operation {
  return operation({
    ...shared,
    id: "openApi",
    method: "get",
    path: "/openapi.json",
    scope: "key",
    summary: "This description",
    answers: { 200: { description: "OpenAPI 3.1", types: ["application/json"] } },
    handle: async () => {
      const { openApiDocument } = await import("../openapi/openapi.ts");
      return { status: 200, json: placed(openApiDocument(api()), basePath) };
    },
  });
}

function docs({ basePath = "" }: AppServices, api: () => Api): Operation {
  return operation({
    ...shared,
    id: "docs",
    method: "get",
    path: "/docs",
    scope: "key",
    summary: "This description as a page",
    answers: { 200: { description: "HTML", types: ["text/html"] } },
    handle: async ({ raw }) => {
      const { docsPage } = await import("../openapi/docs-page.ts");
      const page = docsPage(api(), { origin: new URL(raw.url).origin, basePath });
      return new Response(page, { headers: PAGE_HEADERS });
    },
  });
}

function placed(document: OpenApiDocument, basePath: string): OpenApiDocument {
  return basePath === "" ? document : { ...document, servers: [{ url: basePath }] };
}
