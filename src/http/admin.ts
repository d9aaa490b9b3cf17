import { Hono } from "hono/tiny";
import { allow } from "./auth.ts";
import { body } from "./request-body.ts";
import { reindexBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

export const admin = new Hono<HttpEnv>().post(
  "/reindex",
  allow("admin"),
  body(reindexBody),
  async (c) => {
    const { ids } = c.req.valid("json");
    return c.json({ reindexed: await c.var.services.runs.reindex(c.var.caller.tenant, ids) });
  },
);
