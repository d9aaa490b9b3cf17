import { Hono } from "hono";
import type { HttpEnv } from "./services.ts";

export const health = new Hono<HttpEnv>().get("/healthz", (c) => c.json({ status: "ok" }));
