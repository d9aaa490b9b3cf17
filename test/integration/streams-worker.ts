import * as z from "zod";
import { defineFlow } from "../../src/flow/index.ts";
import { NO_USAGE } from "../../src/base/usage.ts";
import { Agent, Crew, Task } from "../../src/index.ts";
import type { LanguageModel } from "../../src/entry/models.ts";
import { createClient, type ClientOptions } from "../../src/client/index.ts";
import { defineApp } from "../../src/worker.ts";

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index} `);

/** Says a word every 50 ms. */
const speaker: LanguageModel = {
  id: "test/speaker",
  contextWindow: 100_000,
  capabilities: { tools: true, responseSchema: true, stop: true, vision: false },
  generate: async (_request, { onDelta, signal }) => {
    for (const word of WORDS) {
      signal.throwIfAborted();
      onDelta?.(word);
      await new Promise<void>((resolve) => setTimeout(resolve, 50));
    }
    const usage = { ...NO_USAGE, requests: 1 };
    return { text: WORDS.join(""), toolCalls: [], finishReason: "stop", usage };
  },
};
const agent = new Agent({ role: "Speaker", goal: "Speak", backstory: "Slow.", llm: speaker });
const speech = new Crew({
  name: "speech",
  stream: true,
  tasks: [new Task({ name: "talk", description: "Talk", expectedOutput: "Words", agent })],
});

const asking = defineFlow({
  name: "asking",
  state: z.object({}),
  methods: { ask: { start: true, run: ({ ask }) => ask("Go on?") } },
});

/** Each round leaves some 120 kB of events. */
const log = defineFlow({
  name: "log",
  state: z.object({ rounds: z.number().default(0), text: z.string().default("") }),
  methods: {
    round: {
      start: true,
      listen: "again",
      run: ({ state }) => {
        state.rounds++;
        state.text = "x".repeat(30_000);
      },
    },
    next: {
      router: true,
      listen: "round",
      run: ({ state }) => (state.rounds < 95 ? "again" : "done"),
    },
  },
});

const app = defineApp({ crews: { speech }, flows: { asking, log } });

/** A Worker as a client: follows a run of its own address to its end, and tells when it heard what, and over what. */
async function following(url: URL): Promise<Response> {
  let sockets = 0;
  class CountedSocket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols);
      sockets++;
    }
  }
  const webSocket = CountedSocket as unknown as NonNullable<ClientOptions["webSocket"]>;
  const client = createClient({ url: url.origin, webSocket });
  const heard: Record<string, number> = {};
  for await (const { type } of client.runs.handle(url.searchParams.get("run") ?? "").events())
    heard[type] ??= Date.now();
  return Response.json({ sockets, heard });
}

export default {
  ...app,
  fetch: (...[request, env, context]: Parameters<typeof app.fetch>) => {
    const url = new URL(request.url);
    return url.pathname === "/following" ? following(url) : app.fetch(request, env, context);
  },
};
export const { CrewRun } = app.durableObjects;
