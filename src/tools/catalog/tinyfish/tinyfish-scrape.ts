import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse } from "../base/service-failure.ts";
import { publicAddress } from "../web/page-argument.ts";
import { TINYFISH_KEY } from "./tinyfish-key.ts";

const API = "https://agent.tinyfish.ai/v1";

const state = () =>
  z.looseObject({
    status: z.string(),
    result: z.json().nullish(),
    error: z.unknown().optional(),
  });

/** Results of TinyFish's agent from a site. The agent may click and fill in forms, so it acts outside. */
export const tinyfishScrape = catalogTool({
  className: "TinyFishTool",
  otherNames: ["tinyfish_scrape"],
  displayName: "tinyfish_scrape",
  group: "automation",
  service: "TinyFish",
  effectClass: "X",
  effect: "idempotent",
  untrusted: true,
  description:
    "Sends an agent with a browser to a web site, with a goal in words, and gives what it brings back.",
  input: () =>
    z.object({
      url: z.string().min(1).describe("Where the agent begins"),
      goal: z.string().min(1).describe("What it is to find out or to do there"),
    }),
  options: () => z.object({}),
  env: [TINYFISH_KEY],
  hosts: ["agent.tinyfish.ai"],
  run: async ({ url: address, goal }, _, io) => {
    const url = publicAddress(address, io);
    const result = await io.poll<JsonValue>({
      effect: "once",
      start: async () => {
        const { body } = await io.send({
          url: `${API}/automation/run-async`,
          body: { url, goal },
        });
        const { data } = z.looseObject({ run_id: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("TinyFish");
        return data.run_id;
      },
      check: async (id) => {
        const { body } = await io.send({ url: `${API}/runs/${encodeURIComponent(id)}` });
        const { data } = state().safeParse(body);
        if (data === undefined) throw badResponse("TinyFish");
        if (data.status === "COMPLETED") return { done: data.result ?? null };
        return ["FAILED", "CANCELLED"].includes(data.status)
          ? { failed: JSON.stringify(data.error ?? data.status) }
          : "running";
      },
      lookAgain: (id) => `${API}/runs/${id} tells how it stands`,
    });
    const data: JsonObject = { url, goal, data: result };
    return toolResult({
      text: typeof result === "string" ? result : JSON.stringify(result, null, 1),
      data,
      sources: [{ url }],
      untrusted: [new URL(url).host],
    });
  },
});
