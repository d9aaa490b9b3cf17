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
    return c.json(openApiDocument(c.var.services.parts));
  })
  .get("/docs", async (c) => {
    const [{ openApiDocument }, { docsPage }] = await Promise.all([
      import("./openapi.ts"),
      import("./docs-page.ts"),
    ]);
    const { crews, agents = {}, flows = {}, parts } = c.var.services;
    const [crew, agent, flow] = [crews, agents, flows].map((named) => Object.keys(named)[0]);
    const { origin } = new URL(c.req.url);
    const page = docsPage(openApiDocument(parts), { origin, crew, agent, flow });
    return c.html(page, 200, PAGE_HEADERS);
  });
