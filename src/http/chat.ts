import { Hono } from "hono/tiny";
import { allow } from "./auth.ts";
import { enterCrew } from "./enter-crew.ts";
import { body } from "./request-body.ts";
import { chatBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

export const chat = new Hono<HttpEnv>().post(
  "/:name/chat",
  allow("run"),
  body(chatBody),
  async (c) => {
    const { messages, ...rest } = c.req.valid("json");
    return enterCrew(c, rest, () => ({ action: "chat", messages }));
  },
);
