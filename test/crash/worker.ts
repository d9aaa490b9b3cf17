import * as z from "zod";
import { announce } from "../../examples/announce.ts";
import { inboxDigest } from "../../examples/inbox-digest.ts";
import { Tighten } from "../../examples/tighten.ts";
import {
  agentTarget,
  Conversation,
  ConversableAgent,
  DefaultPattern,
  Handoffs,
  onCondition,
  terminateTarget,
} from "../../src/conversation/index.ts";
import { codeRunners, runCode } from "../../src/entry/code.ts";
import { files } from "../../src/entry/files.ts";
import { BuiltFlow } from "../../src/flow/built-flow.ts";
import { Agent, Crew, Task, tool } from "../../src/index.ts";
import { invokeCrewaiAutomation, searxngSearch, webhookPost } from "../../src/entry/tools.ts";
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

const member = (
  name: string,
  options: Omit<ConstructorParameters<typeof ConversableAgent>[0], "name"> = {},
): ConversableAgent =>
  new ConversableAgent({
    name,
    systemMessage: `You are ${name}.`,
    humanInputMode: "NEVER",
    llm: "openai/scripted",
    ...options,
  });
const after = (name: string): Handoffs => new Handoffs().setAfterWork(agentTarget(name));

const triage = member("triage");
triage.handoffs = after("expert").add(
  onCondition({ target: agentTarget("expert"), condition: "It needs an expert" }),
);
const expert = member("expert", { tools: [lookup] });
expert.handoffs = after("judge");
const judge = member("judge");
judge.registerNestedChats([{ recipient: member("clerk"), maxTurns: 1 }], () => true);
judge.handoffs = after("ana");
const ana = member("ana", { humanInputMode: "ALWAYS" });
ana.handoffs = after("writer");
const writer = member("writer");
writer.handoffs = new Handoffs().setAfterWork(terminateTarget());

/** A hand-over by a model, a tool, a nested chat, a person, and words after theirs. */
const review = new Conversation({
  name: "review",
  pattern: new DefaultPattern({
    agents: [triage, expert, judge, ana, writer],
    initialAgent: triage,
  }),
});

/** Tools of the catalogue, one for each kind of work that a kill may interrupt. */
const errands = new Agent({
  role: "Errands",
  goal: "Do what is asked",
  backstory: "Prompt.",
  llm: "openai/scripted",
  tools: [
    searxngSearch({ baseUrl: { env: "SEARCH_URL" } }),
    webhookPost({ url: { env: "HOOK_URL" }, needsApproval: false }),
    invokeCrewaiAutomation({ crewApiUrl: { env: "CREW_URL" }, needsApproval: false }),
    runCode(),
  ],
});
const errand = new Task({
  description: "Do this: {errand}",
  expectedOutput: "What came",
  agent: errands,
});

/** Its files are uploaded to the provider, which is killed in the middle. */
const reader = new Agent({
  role: "Reader",
  goal: "Read",
  backstory: "Patient.",
  llm: { model: "openai/gpt-4.1-mini", api: "responses" },
});
const look = new Task({ description: "Read it", expectedOutput: "What it says", agent: reader });

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
  conversations: { review },
  code: codeRunners(),
  files: files({ store: { r2: "FILES" } }),
  crews: {
    errands: new Crew({ name: "errands", tasks: [errand] }),
    reading: new Crew({ name: "reading", tasks: [look] }),
    survivor: new Crew({ name: "survivor", tasks: [gather, aside, write] }),
    wide: new Crew({ name: "wide", tasks: [...many, write] }),
  },
});
export default app;
export const { CrewRun } = app.durableObjects;
