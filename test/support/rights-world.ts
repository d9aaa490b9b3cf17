// An app with data of everybody's: each thing has the canary in its contents, and is made with a key that may read.
import * as z from "zod";
import { a2a } from "../../src/entry/a2a.ts";
import { acp } from "../../src/entry/acp.ts";
import { agUi } from "../../src/entry/ag-ui.ts";
import { conversationPart } from "../../src/conversation/conversation-part.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import { mcp } from "../../src/entry/mcp.ts";
import { openai } from "../../src/entry/openai.ts";
import { memory } from "../../src/entry/memory.ts";
import { InMemoryVectorStores } from "../../src/vectors/exact-vectors.ts";
import { allReaders } from "./all-readers.ts";
import { EngineError } from "../../src/base/error.ts";
import { accessWorld, keyOf } from "./access-world.ts";
import { appParts } from "./app-parts.ts";
import {
  ask,
  briefing,
  greeting,
  review,
  textOf,
  type AskOptions,
  type HttpWorld,
} from "./http-app.ts";
import { talkOf } from "./talks.ts";

/** In the contents of everything that the owner has made. */
export const CANARY = "CANARY-of-the-owner";
export const RUN = "the-run";
export const FAILED = "the-failed-run";
export const TALK = "the-talk";
export const SESSION = "the-session";
export const VERSION = { "a2a-version": "1.0" };
const BROKEN = "a broken topic";
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai", "platform"]);
const REPLACED = new Set(["conversations", "a2a", "ag-ui", "openai", "acp", "mcp", "memory"]);

const talk = talkOf(
  { routeTurn: () => "go" },
  { answer: { listen: "go", run: () => `I know ${CANARY}` } },
);
/** Keeps its state under the id of its inputs. */
const keeps = defineFlow({
  name: "keeps",
  persist: true,
  state: z.object({ id: z.string().default("fresh"), note: z.string().default("") }),
  methods: { go: { start: true, run: ({ state }) => state.note } },
});

/** The app, the key of the owner, and a key that may start and not read. */
export type RightsWorld = {
  readonly world: HttpWorld;
  readonly owner: string;
  readonly runOnly: string;
  /** Asks, and lets the runs go on until the answer is there. */
  readonly ask: (path: string, options: AskOptions) => Promise<{ status: number; text: string }>;
};

export async function rightsWorld(): Promise<RightsWorld> {
  const conversations = conversationPart({
    conversations: {},
    registry: { tools: [] },
    readers: allReaders,
  });
  const expose = "all";
  const vectors = new InMemoryVectorStores();
  const world = accessWorld({
    crews: { briefing, greeting },
    flows: { review, help: talk, keeps },
    tools: [ask],
    webhooks: { allowPrivate: false, hasSecret: true },
    parts: [
      conversations,
      a2a({ expose }),
      agUi({ expose }),
      openai({ expose }),
      acp({ expose }),
      mcp({ expose }),
      memory({ vectors: () => vectors }),
      ...appParts.filter(({ name }) => !OWN.has(name) && !REPLACED.has(name)),
    ],
    script: ({ messages, tools }) => {
      const said = JSON.stringify(messages);
      if (said.includes(BROKEN))
        return { error: new EngineError("model_failed", `broken: ${CANARY}`) };
      const isTold = messages.at(-1)?.role === "tool";
      if (isTold || (tools ?? []).length === 0) return `On ${CANARY}`;
      return { toolCalls: [{ name: "ask", arguments: { question: `${CANARY}?` } }] };
    },
  });
  const { key: owner } = await keyOf(world, { scopes: ["run", "read", "admin"] });
  const { key: runOnly } = await keyOf(world, { scopes: ["run"] });
  const askAll: RightsWorld["ask"] = async (path, options) => {
    const over = new AbortController();
    const asked = world.request(path, options).then(async (response) => {
      const text = await response.text();
      return { status: response.status, text };
    });
    const ended = asked.finally(() => over.abort());
    ended.catch(() => undefined);
    for (let turn = 0; turn < 60 && !over.signal.aborted; turn++) await world.clock.advance(1000);
    return ended;
  };
  return { world, owner, runOnly, ask: askAll };
}

/** Things of the owner's, by the name that requests use for them. */
export const SEEDS = {
  run: async ({ world, owner }) => {
    await world.kickoff("briefing", { id: RUN, inputs: { topic: CANARY } }, { key: owner });
    return RUN;
  },
  failed: async ({ world, owner }) => {
    const inputs = { topic: `${BROKEN} ${CANARY}` };
    await world.kickoff("briefing", { id: FAILED, inputs }, { key: owner });
    return FAILED;
  },
  talk: async ({ world, owner, ask: asking }) => {
    await world.ask("/conversations/review", {
      method: "PUT",
      key: owner,
      body: "agents:\n  writer: { system_message: You write., after_work: ana }\n  ana: { human: true, after_work: terminate }\n",
      headers: { "content-type": "application/yaml" },
    });
    const json = { id: TALK, message: CANARY };
    await asking("/conversations/review/kickoff", { key: owner, json });
    return TALK;
  },
  session: async ({ owner, ask: asking }) => {
    const json = { sessionId: SESSION, message: CANARY };
    await asking("/flows/help/turns", { key: owner, json });
    return SESSION;
  },
  state: async ({ owner, ask: asking }) => {
    const json = { inputs: { id: "the-state", note: CANARY } };
    await asking("/flows/keeps/kickoff", { key: owner, json });
    return "the-state";
  },
  memory: async ({ world, owner }) => {
    const json = { content: CANARY, scope: "/a", categories: ["a"], importance: 0.5 };
    const saved = await world.ask("/memory", { key: owner, json });
    return textOf(saved.json["id"]);
  },
  task: async ({ owner, ask: asking }) => {
    const message = {
      messageId: "m1",
      role: "ROLE_USER",
      contextId: "the-context",
      parts: [{ data: { topic: CANARY } }],
    };
    const json = { message, configuration: { returnImmediately: true } };
    const headers = VERSION;
    const { text } = await asking("/a2a/briefing/message:send", { key: owner, json, headers });
    return (JSON.parse(text) as { task: { id: string } }).task.id;
  },
  thread: async ({ owner, ask: asking }) => {
    const messages = [{ id: "1", role: "user", content: CANARY }];
    const json = { threadId: "the-thread", runId: "r1", messages };
    await asking("/ag-ui/writer", { key: owner, json });
    return "the-thread";
  },
  response: async ({ owner, ask: asking }) => {
    const json = { model: "agent/writer", input: CANARY, conversation: "the-conversation" };
    const { text } = await asking("/v1/responses", { key: owner, json });
    return (JSON.parse(text) as { id: string }).id;
  },
  acp: async ({ owner, ask: asking }) => {
    const message = { role: "user", parts: [{ type: "text", text: CANARY }] };
    await asking("/api/acp/sessions", { key: owner, json: { name: "the-acp-session" } });
    const json = { agentId: "agent/writer", taskId: "the-task", message };
    await asking("/api/acp/request", { key: owner, json });
    return "the-task";
  },
  none: async () => "",
} satisfies Readonly<Record<string, (of: RightsWorld) => Promise<string>>>;
