import { Hono } from "hono/tiny";
import type { HttpEnv } from "./services.ts";

export const health = new Hono<HttpEnv>().get("/healthz", (c) => c.json({ status: "ok" }));
