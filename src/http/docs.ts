import { Hono } from "hono/tiny";
import type { HttpEnv } from "./services.ts";

const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

/** Loaded when first asked for: nothing else needs them. */
export const docs = new Hono<HttpEnv>()
  .get("/openapi.json", async (c) => {
    const { openApiDocument } = await import("./openapi.ts");
    return c.json(openApiDocument());
  })
  .get("/docs", async (c) => {
    const [{ openApiDocument }, { docsPage }] = await Promise.all([
      import("./openapi.ts"),
      import("./docs-page.ts"),
    ]);
    return c.html(docsPage(openApiDocument(), new URL(c.req.url).origin), 200, PAGE_HEADERS);
  });
