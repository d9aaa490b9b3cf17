// The OpenAI-compatible endpoint over real runs in memory, asked with OpenAI's own SDK.
import OpenAI from "openai";
import * as z from "zod";
import { Agent } from "../../src/agent/description/agent.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import { openai, type OpenAiOptions } from "../../src/entry/openai.ts";
import { tool } from "../../src/tools/tool.ts";
import { ask, greeting, HttpWorld, type HttpWorldOptions } from "./http-app.ts";

const double = tool({
  name: "double",
  description: "Double a number.",
  input: z.object({ number: z.number() }),
  run: ({ number }) => number * 2,
});

/** Alone, with a tool of its own and one that asks a person. */
export const analyst = new Agent({
  role: "Analyst",
  goal: "Answer",
  backstory: "You know it all.",
  tools: [ask, double],
});

/** Without tools. */
export const clerk = new Agent({ role: "Clerk", goal: "Answer", backstory: "You are brief." });

/** Two tasks; needs the input `topic`. */
export const report = new Crew({
  name: "report",
  tasks: [
    new Task({
      name: "facts",
      description: "Facts on {topic}",
      expectedOutput: "Facts",
      agent: clerk,
    }),
    new Task({
      name: "page",
      description: "Write on {topic}",
      expectedOutput: "A page",
      agent: clerk,
    }),
  ],
});

export const EXPOSED = {
  "agent/analyst": true,
  "agent/clerk": true,
  "crew/report": true,
  "flow/review": true,
  "crew/greeting": { as: "hello" },
} as const;

export type OpenAiWorldOptions = HttpWorldOptions & { readonly openai?: OpenAiOptions };

/** What a weather tool of the client's looks like. */
export const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
  },
} as const;

export class OpenAiWorld extends HttpWorld {
  readonly sdk: OpenAI;

  constructor({ openai: options = { expose: EXPOSED }, ...others }: OpenAiWorldOptions = {}) {
    super({
      agents: { analyst, clerk },
      ...others,
      crews: { report, greeting, ...others.crews },
      parts: [openai(options), ...(others.parts ?? [])],
    });
    this.sdk = this.client();
  }

  /** OpenAI's client, with this key. */
  client(apiKey = "none", path = "/v1"): OpenAI {
    return new OpenAI({
      apiKey,
      baseURL: `https://api.test${path}`,
      maxRetries: 0,
      fetch: async (url, init) => this.app.fetch(new Request(url, init)),
    });
  }
}
