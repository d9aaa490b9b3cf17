// A Worker whose subjects ask the real model, behind every door. The address of the model is OPENAI_BASE_URL.
import * as z from "zod";
import { a2a } from "../../../../src/entry/a2a.ts";
import { agUi } from "../../../../src/entry/ag-ui.ts";
import {
  ConversableAgent,
  defineConversation,
  RoundRobinPattern,
} from "../../../../src/conversation/index.ts";
import { defineFlow } from "../../../../src/flow/index.ts";
import { Agent, Crew, llm, Task, tool } from "../../../../src/index.ts";
import { mcp } from "../../../../src/entry/mcp.ts";
import { openai } from "../../../../src/entry/openai.ts";
import { defineApp } from "../../../../src/worker.ts";

const MODEL = "openai/smollm2";

const agentOf = (role: string, maxTokens: number, tools: readonly ReturnType<typeof tool>[] = []) =>
  new Agent({
    role,
    goal: "Answer shortly",
    backstory: `You are a ${role.toLowerCase()} of few words.`,
    llm: { model: MODEL, maxTokens },
    stream: true,
    maxIter: 4,
    tools: [...tools],
  });

const stock = tool({
  name: "stock",
  description: "How many of an item are in stock?",
  input: z.object({ item: z.string() }),
  run: ({ item }) => `${item.length} of ${item}`,
});

const clerk = agentOf("Clerk", 32);
const keeper = agentOf("Keeper", 32, [stock]);
const storyteller = agentOf("Storyteller", 8);
const task = (name: string, description: string): Task =>
  new Task({ name, description, expectedOutput: "One sentence", agent: clerk });

const answer = (text: string, wish: string) => clerk.kickoff(`${text}\n${wish}`);
const sorted = defineFlow({
  name: "sorted",
  state: z.object({ text: z.string().default("") }),
  methods: {
    sort: {
      start: true,
      router: true,
      emit: ["short", "long"],
      run: async ({ state }) => {
        const asked = `Is this text short or long?\n${state.text}`;
        const responseModel = z.object({ route: z.enum(["short", "long"]) });
        return (await llm(MODEL, { maxTokens: 24 }).call(asked, { responseModel })).route;
      },
    },
    shorten: {
      listen: "long",
      run: async ({ state }) => (await answer(state.text, "Shorten this.")).raw,
    },
    keep: {
      listen: "short",
      run: async ({ state }) => (await answer(state.text, "Name one fact.")).raw,
    },
  },
});

const speakers = ["writer", "critic"].map(
  (name) =>
    new ConversableAgent({
      name,
      systemMessage: `You are the ${name}. Be brief.`,
      humanInputMode: "NEVER",
      llm: { model: MODEL, maxTokens: 24 },
    }),
);
const [initialAgent] = speakers as [ConversableAgent];
const talk = defineConversation({
  name: "talk",
  pattern: new RoundRobinPattern({ agents: speakers, initialAgent }),
  maxRounds: 4,
});

const expose = {
  "agent/clerk": true,
  "agent/keeper": true,
  "agent/storyteller": true,
  "crew/pair": { input: "text" },
  "flow/sorted": { input: "text" },
} as const;

const app = defineApp({
  agents: { clerk, keeper, storyteller },
  crews: {
    pair: new Crew({
      name: "pair",
      tasks: [task("fact", "{text}\nName one fact."), task("child", "Say it for a child.")],
    }),
  },
  flows: { sorted },
  conversations: { talk },
  parts: [a2a({ expose }), agUi({ expose }), mcp({ expose }), openai({ expose })],
});

export default app;
export const { CrewRun } = app.durableObjects;
