// Groups with tools, by the real adapters of models: what is sent must be what providers take.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  agentTarget,
  AutoPattern,
  contextVariables,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  initiateGroupChat,
  onCondition,
  ReplyResult,
  revertToUserTarget,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import type { LanguageModel } from "../../../../src/llm/language-model.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import {
  startModelServer,
  type ModelServer,
  type ServedReply,
  type ServedRequest,
} from "../../../support/model-server.ts";
import { refusals } from "../../../support/provider-rules.ts";

let server: ModelServer;
let reply: (request: ServedRequest) => ServedReply | string = () => "ok";
let first = 0;

beforeAll(async () => {
  server = await startModelServer({ reply: (request) => reply(request) });
});
afterAll(() => server.stop());
beforeEach(() => {
  first = server.calls.length;
});

/** What was sent in this test. */
const sent = (): readonly ServedRequest[] => server.calls.slice(first);

/** All that providers would have refused of it. */
const refused = (): readonly string[] =>
  sent().flatMap((request, index) => refusals(request).map((fault) => `call ${index}: ${fault}`));

const DIALECTS = {
  chat: { model: "openai/gpt-4.1", api: "chat" },
  responses: { model: "openai/gpt-5-mini", api: "responses" },
  anthropic: { model: "anthropic/claude-sonnet-4-5" },
  "anthropic that thinks": {
    model: "anthropic/claude-sonnet-4-5",
    thinking: { type: "enabled", budget_tokens: 1024 },
  },
  "gemini 2": { model: "gemini/gemini-2.5-flash" },
  "gemini 3": { model: "gemini/gemini-3-flash-preview" },
  bedrock: { model: "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0" },
  "bedrock that thinks": {
    model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    thinking: { type: "enabled", budget_tokens: 1024 },
  },
} as const;

type Dialect = keyof typeof DIALECTS;
const dialects = Object.keys(DIALECTS) as readonly Dialect[];

function modelOf(dialect: Dialect): LanguageModel {
  return resolveModel(DIALECTS[dialect], {
    variables: {
      OPENAI_API_KEY: "k",
      ANTHROPIC_API_KEY: "k",
      OPENAI_BASE_URL: `${server.url}/v1`,
      ANTHROPIC_BASE_URL: server.url,
      GEMINI_API_KEY: "k",
      GEMINI_BASE_URL: `${server.url}/v1beta`,
      BEDROCK_API_KEY: "k",
      BEDROCK_BASE_URL: server.url,
    },
  });
}

/** Who is asked, or for what, by the system texts. */
function askedOf({ body, messages }: ServedRequest): string {
  const systems = messages.filter(({ role }) => role === "system" || role === "developer");
  const { system: said, instructions, systemInstruction } = body;
  const system = JSON.stringify([said, instructions, systemInstruction, ...systems]);
  if (system.includes("Sum up")) return "summary";
  if (system.includes("should speak next")) return "selection";
  return /You are the (\w+)/.exec(system)?.[1] ?? "nobody";
}

/** Replies by agent, in the order of the calls. */
function scripts(replies: Readonly<Record<string, ReadonlyArray<ServedReply | string>>>): void {
  const left = new Map(Object.entries(replies).map(([name, list]) => [name, [...list]]));
  reply = (request) => {
    const next = left.get(askedOf(request))?.shift();
    return next ?? `nothing left for ${askedOf(request)}`;
  };
}

const calling = (...names: readonly string[]): ServedReply => ({
  toolCalls: names.map((name) => ({ name, arguments: { article: "cup" } })),
  thinking: { text: "Let me see.", signature: "signed" },
});

describe.each(dialects)("by %s", (dialect) => {
  function support() {
    const llm = modelOf(dialect);
    const agent = (name: string, role: string, tools: ConversableAgent["offeredTools"] = []) =>
      new ConversableAgent({ name, systemMessage: `You are the ${role}.`, llm, tools });
    const input = z.object({ article: z.string() });
    const stock = tool({
      name: "stock",
      description: "Counts.",
      input,
      inject: { variables: contextVariables() },
      run: ({ article }, { variables }) => {
        variables.set("article", article);
        return new ReplyResult({ message: `12 of ${article}`, contextVariables: variables });
      },
    });
    const price = tool({ name: "price", description: "Prices.", input, run: () => ({ euros: 3 }) });
    const desk = agent("Order Desk", "desk", [stock, price]);
    const sales = agent("Größen-Prüfer", "sales", [price]);
    const writer = agent("writer", "writer");
    const boss = agent("boss", "boss");
    desk.handoffs.add(
      onCondition({ target: agentTarget(sales), condition: "About sales." }),
      onCondition({ target: agentTarget(writer), condition: "A letter has to be written." }),
    );
    boss.handoffs.setAfterWork(revertToUserTarget());
    const answers = ["Thanks. And a letter?", "exit"];
    const user = new UserProxyAgent({
      name: "Jo Doe",
      getHumanInput: () => answers.shift() ?? "exit",
    });
    return new AutoPattern({
      initialAgent: desk,
      agents: [desk, sales, writer, boss],
      userAgent: user,
      groupManager: { llm },
      summaryMethod: "reflection_with_llm",
    });
  }

  it("four agents with tools, hand-overs by a model, a person and a summary", async () => {
    scripts({
      desk: [calling("stock", "price"), calling("transfer_to_Gr__en-Pr_fer_1"), "I am done."],
      sales: [calling("price"), "Three euros."],
      writer: [{ ...calling("transfer_to_nobody") }, "Dear customer."],
      boss: ["Approved.", "TERMINATE"],
      selection: ["writer", "writer or boss", "boss", "Order Desk", "boss", "boss"],
      summary: ["A cup was sold."],
    });
    const {
      messages,
      summary,
      contextVariables: variables,
      reason,
    } = await initiateGroupChat({
      pattern: support(),
      messages: "Do you have cups?",
      maxRounds: 24,
    });
    expect(refused()).toEqual([]);
    expect(variables).toEqual({ article: "cup" });
    expect(messages.map(({ name }) => name)).toEqual([
      "Jo Doe",
      "Order Desk",
      "_Group_Tool_Executor",
      "Order Desk",
      "_Group_Tool_Executor",
      "Größen-Prüfer",
      "_Group_Tool_Executor",
      "Größen-Prüfer",
      "writer",
      "_Group_Tool_Executor",
      "writer",
      "boss",
      "Jo Doe",
      "boss",
    ]);
    expect(reason).toBe("termination condition met");
    expect(summary).toBe("A cup was sold.");
    const asked = sent().map(askedOf);
    expect(new Set(asked)).toEqual(
      new Set(["desk", "sales", "writer", "boss", "selection", "summary"]),
    );
  });

  it("a group chat with caller and executor as members, and an opener with spaces in the name", async () => {
    scripts({
      analyst: [calling("price", "price"), "It costs 3."],
      critic: ["Really?"],
      selection: ["Critic"],
      summary: ["Three euros."],
    });
    const llm = modelOf(dialect);
    const price = tool({
      name: "price",
      description: "Prices.",
      input: z.object({ article: z.string() }),
      run: () => "3",
    });
    const analyst = new ConversableAgent({
      name: "Analyst",
      systemMessage: "You are the analyst.",
      llm,
    }).registerForLlm(price);
    const critic = new ConversableAgent({
      name: "Critic",
      systemMessage: "You are the critic.",
      llm,
    });
    const admin = new UserProxyAgent({
      name: "The Admin",
      humanInputMode: "NEVER",
    }).registerForExecution(price);
    const manager = new GroupChatManager({
      llm,
      groupChat: new GroupChat({
        agents: [admin, analyst, critic],
        maxRound: 5,
        allowedOrDisallowedSpeakerTransitions: {
          Analyst: [critic, admin],
          "The Admin": [analyst],
          Critic: [analyst],
        },
        speakerTransitionsType: "allowed",
        sendIntroductions: true,
      }),
    });
    const { group, summary } = await admin.initiateChat(manager, {
      message: "What is a cup?",
      summaryMethod: "reflection_with_llm",
    });
    expect(refused()).toEqual([]);
    expect(group?.messages.map(({ name }) => name)).toEqual([
      "The Admin",
      "Analyst",
      "The Admin",
      "Analyst",
      "Critic",
    ]);
    expect(summary).toBe("Three euros.");
  });
});
