import { Hono } from "hono/tiny";
import type { Page, WaitSummary } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { query } from "./query.ts";
import { pageQuery } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

/** The inbox of those who answer. */
export const waits = new Hono<HttpEnv>().get("/", allow("read"), query(pageQuery), async (c) => {
  const { tenant } = c.var.caller;
  return c.json<Page<WaitSummary>>(
    await c.var.services.runs.waits({ tenant, ...c.req.valid("query") }),
  );
});
