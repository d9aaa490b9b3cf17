import * as z from "zod";
import { announce } from "../../examples/announce.ts";
import { inboxDigest } from "../../examples/inbox-digest.ts";
import { Tighten } from "../../examples/tighten.ts";
import { BuiltFlow } from "../../src/flow/built-flow.ts";
import { Agent, Crew, Task, tool } from "../../src/index.ts";
import { defineApp } from "../../src/worker.ts";

/** Where the tools work; every call is seen there with its idempotency key. */
async function callOutside(name: string, input: object, idempotencyKey: string): Promise<string> {
  const { OUTSIDE_URL } =
    (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
  const response = await fetch(`${OUTSIDE_URL}/tools/${name}`, {
    method: "POST",
    headers: { "idempotency-key": idempotencyKey },
    body: JSON.stringify(input),
  });
  return response.text();
}

const lookup = tool({
  name: "lookup",
  description: "Look a word up.",
  input: z.object({ word: z.string() }),
  run: (input, { idempotencyKey }) => callOutside("lookup", input, idempotencyKey),
});

const agent = new Agent({
  role: "Researcher",
  goal: "Look words up",
  backstory: "Careful.",
  tools: [lookup],
  llm: "openai/scripted",
});
const gather = new Task({
  name: "gather",
  description: "Gather what is known of {topic}",
  expectedOutput: "Facts",
  agent,
});
const aside = new Task({
  name: "aside",
  description: "Aside: look at {topic} from the side",
  expectedOutput: "A view",
  agent,
  asyncExecution: true,
});
const write = new Task({
  name: "write",
  description: "Write about {topic}",
  expectedOutput: "A text",
  agent,
});

/** Fifty tasks for child runs, and one that gathers them. */
const many = Array.from(
  { length: 50 },
  (_, index) =>
    new Task({
      name: `part-${index}`,
      description: `Aside: look at part ${index}`,
      expectedOutput: "A view",
      agent,
      asyncExecution: true,
    }),
);

/** The flow, each of its methods seen from outside before it begins. */
function watched<State>({ parts }: BuiltFlow<State>): BuiltFlow<State> {
  return new BuiltFlow<State>({
    ...parts,
    run: async (method, call) => {
      const { runId, path } = call.scope;
      await callOutside(method, {}, `${runId}:${path}`);
      return parts.run(method, call);
    },
  });
}

const app = defineApp({
  flows: {
    announce: watched(announce),
    tighten: watched(new Tighten().flow),
    "inbox-digest": watched(inboxDigest),
  },
  crews: {
    survivor: new Crew({ name: "survivor", tasks: [gather, aside, write] }),
    wide: new Crew({ name: "wide", tasks: [...many, write] }),
  },
});
export default app;
export const { CrewRun } = app.durableObjects;
