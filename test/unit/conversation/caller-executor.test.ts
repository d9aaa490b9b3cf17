import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { registerFunction } from "../../../src/conversation/agents/toolkit.ts";
import { defineConversation } from "../../../src/conversation/conversation.ts";
import { initiateGroupChat } from "../../../src/conversation/groups/initiate-group-chat.ts";
import { RoundRobinPattern } from "../../../src/conversation/groups/patterns.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling } from "../../support/crew-harness.ts";

function shop(options: { readonly approves?: true } = {}) {
  const calls: string[] = [];
  const order = tool({
    name: "order",
    description: "Orders.",
    input: z.object({ article: z.string() }),
    run: ({ article }) => {
      calls.push(article);
      return `ordered ${article}`;
    },
  });
  const clerk = new ConversableAgent({
    name: "clerk",
    llm: scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool"
        ? `It says: ${last.content}`
        : calling("order", { article: "cup" });
    }),
    humanInputMode: "NEVER",
  });
  const worker = new ConversableAgent({
    name: "worker",
    humanInputMode: "NEVER",
    ...(options.approves ? { approveTools: true } : undefined),
  });
  const pattern = new RoundRobinPattern({ initialAgent: clerk, agents: [clerk, worker] });
  return { calls, order, clerk, worker, pattern };
}

describe("a tool called by one agent's model and executed by another agent", () => {
  it("is refused by the definition of a conversation without an executor for it (AG1)", () => {
    const { clerk, order, pattern, worker } = shop();
    clerk.registerForLlm(order);
    expect(() => defineConversation({ name: "shop", pattern })).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining(
          'caller "clerk" may call "order", which no agent executes',
        ),
      }),
    );
    worker.registerForExecution(order);
    expect(defineConversation({ name: "shop", pattern }).name).toBe("shop");
  });

  it("is called, and executed by the other", async () => {
    const { clerk, worker, order, pattern, calls } = shop();
    registerFunction(order, { caller: clerk, executor: worker });
    const { messages } = await initiateGroupChat({ pattern, messages: "A cup.", maxRounds: 4 });
    expect(calls).toEqual(["cup"]);
    expect(messages.some(({ content }) => content === "It says: ordered cup")).toBe(true);
  });

  it("is an unknown function when its executor is elsewhere, and the chat continues (AG1)", async () => {
    const { clerk, order, calls } = shop();
    const elsewhere = new ConversableAgent({ name: "elsewhere" });
    registerFunction(order, { caller: clerk, executor: elsewhere });
    const customer = new ConversableAgent({ name: "customer", humanInputMode: "NEVER" });
    const { chatHistory } = await customer.initiateChat(clerk, { message: "A cup.", maxTurns: 2 });
    expect(calls).toEqual([]);
    const reply = chatHistory.find(({ role }) => role === "tool");
    expect(reply?.content).toContain("order");
    expect(chatHistory.at(-1)?.content).toContain("It says:");
  });

  it("GEC2: waits for a person if the executing agent requires approval, for any caller", async () => {
    const { clerk, worker, order, pattern, calls } = shop({ approves: true });
    registerFunction(order, { caller: clerk, executor: worker });
    const run = defineConversation({ name: "shop", pattern, maxRounds: 4 }).start({
      message: "A cup.",
    });
    await expect.poll(async () => (await run.status()).status).toBe("waiting");
    const { waits } = await run.status();
    expect(waits[0]).toMatchObject({ kind: "human", prompt: expect.stringContaining("order") });
    expect(calls).toEqual([]);
    await run.resume({ approve: false, feedback: "Not today." });
    const { messages } = await run.output();
    expect(calls).toEqual([]);
    expect(JSON.stringify(messages)).toContain("Not today.");
  });
});
