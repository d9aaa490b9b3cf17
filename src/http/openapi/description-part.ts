// The description of the app's API: a document for programs, and a page for people.
import type { Api, Part, PartHost } from "../../parts/part.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { OpenApiDocument } from "./openapi.ts";

const PAGE_HEADERS = {
  "content-type": "text/html; charset=UTF-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

const shared = { group: "Service", method: "get", scope: "key", problems: [] } as const;

/** `/openapi.json` and `/docs`. */
export function descriptionPart(): Part {
  return {
    name: "api-description",
    docs: "http-api.md",
    bind: (host) => ({ describes: (api) => [openApi(host, api), docs(host, api)] }),
  };
}

// The document and its page are loaded on the first request, because only these routes need them.
function openApi({ basePath = "" }: PartHost, api: () => Api): Operation {
  return operation({
    ...shared,
    id: "openApi",
    path: "/openapi.json",
    summary: "This description",
    answers: { 200: { description: "OpenAPI 3.1", types: ["application/json"] } },
    handle: async () => {
      const { openApiDocument } = await import("./openapi.ts");
      return { status: 200, json: placed(openApiDocument(api()), basePath) };
    },
  });
}

function docs({ basePath = "" }: PartHost, api: () => Api): Operation {
  return operation({
    ...shared,
    id: "docs",
    path: "/docs",
    summary: "This description as a page",
    answers: { 200: { description: "HTML", types: ["text/html"] } },
    handle: async ({ raw }) => {
      const { docsPage } = await import("./docs-page.ts");
      const page = docsPage(api(), { origin: new URL(raw.url).origin, basePath });
      return new Response(page, { headers: PAGE_HEADERS });
    },
  });
}

function placed(document: OpenApiDocument, basePath: string): OpenApiDocument {
  return basePath === "" ? document : { ...document, servers: [{ url: basePath }] };
}
