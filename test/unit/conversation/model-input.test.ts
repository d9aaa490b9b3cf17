import { describe, expect, it } from "vitest";
import { UpdateSystemMessage } from "../../../src/conversation/capabilities/update-system-message.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { filledTemplates } from "../../../src/conversation/message-template.ts";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { toldInChat } from "../../support/conversations.ts";
import { askedOf, modelAgent, quietAgent } from "../../support/chatting-agents.ts";
import { cutAfterEveryWrite, runWhole } from "../../support/cut-off.ts";

const template = (content: ConversationMessage["content"], context?: object): ConversationMessage =>
  ({ role: "user", name: "ana", content, ...(context && { context }) }) as ConversationMessage;
const asker = quietAgent("asker", { defaultAutoReply: "{who} and {more}" });
const greeting = {
  content: "Hello {who}, you have {open} open: {list}{nobody} {a b}",
  context: { who: "{open}", open: 2, list: ["x"], hidden: null },
};

describe("messages with a context", () => {
  it("TPL1, TPL2: are filled with their own values alone, for an agent with templates", async () => {
    const { agent, model } = modelAgent("bo", () => "{who}", { allowFormatStrTemplate: true });
    await asker.initiateChat(agent, { message: greeting, maxTurns: 2 });
    expect(askedOf(model).at(-1)).toEqual([
      'Hello {open}, you have 2 open: ["x"]{nobody} {a b}',
      "{who}",
      "{who} and {more}",
    ]);
  });

  it("TPL1: stay as they are for all others, and in the log", async () => {
    const { agent, model } = modelAgent("bo", () => "yes");
    const { chatHistory } = await asker.initiateChat(agent, { message: greeting, maxTurns: 1 });
    expect(askedOf(model)[0]).toEqual([greeting.content]);
    expect(chatHistory[0]).toMatchObject(greeting);
  });

  it("TPL2, TPL3: fills texts of parts, turns null into an empty text, and reuses filled messages", () => {
    const parts = template([{ type: "text", text: "[{a}]" }, { type: "image_url" }], { a: null });
    const plain = template("{a}");
    const [first, second] = filledTemplates([parts, plain]);
    expect(first?.content).toEqual([{ type: "text", text: "[]" }, { type: "image_url" }]);
    expect(second).toBe(plain);
    expect(filledTemplates([plain, parts])[1]).toBe(first);
    const without = [plain];
    expect(filledTemplates(without)).toBe(without);
  });

  it("MSG1: a function as content is refused, with a hint", async () => {
    const message = { content: () => "later" } as never;
    await expect(asker.initiateChat(quietAgent("bo"), { message })).rejects.toThrow(
      /content must be data, got a function/,
    );
  });
});

describe("the system message of a turn", () => {
  const systemTexts = (model: ReturnType<typeof modelAgent>["model"]) =>
    model.calls.map(({ request }) => request.messages[0]?.content);

  it("MIN1: is a template over the current context variables, without a row in the journal", async () => {
    const chat = (dynamic: boolean) => {
      const contextVariables = new ContextVariables({ mood: "calm", round: 0, tags: ["a"] });
      const { agent, model } = modelAgent("bo", () => "ok", {
        contextVariables,
        systemMessage: "fixed",
      });
      agent.registerReply("asker", ({ contextVariables: variables }) => {
        variables.set("round", Number(variables.get("round")) + 1);
        return undefined;
      });
      if (dynamic)
        new UpdateSystemMessage("Be {mood} in round {round}, {name}: {tags}").addToAgent(agent);
      return {
        model,
        subject: { program: chatProgram([asker, agent], { message: "hi", maxTurns: 2 }) },
      };
    };
    const { cut, whole } = await cutAfterEveryWrite(() => chat(true).subject);
    const plain = await cutAfterEveryWrite(() => chat(false).subject);
    expect(cut).toHaveLength(plain.cut.length);
    for (const { course } of cut) expect(course).toEqual(whole.course);
    const { subject, model } = chat(true);
    await runWhole(subject);
    expect(systemTexts(model)).toEqual([
      toldInChat("bo", "asker", 'Be calm in round 1, {name}: ["a"]'),
      toldInChat("bo", "asker", 'Be calm in round 2, {name}: ["a"]'),
    ]);
  });

  it("MIN1: made by a function, it is called once per turn, wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const calls: string[] = [];
      const { agent } = modelAgent("bo", ({ messages }) => messages[0]?.content ?? "");
      new UpdateSystemMessage(() => "unused").addToAgent(agent);
      new UpdateSystemMessage(({ name }, messages) => {
        calls.push(`${name} after ${messages.length}`);
        return `${messages.length} so far`;
      }).addToAgent(agent);
      return { program: chatProgram([asker, agent], { message: "hi", maxTurns: 2 }), calls };
    });
    expect(whole.calls).toEqual(["bo after 1", "bo after 3"]);
    expect(whole.run.output).toMatchObject({ summary: toldInChat("bo", "asker", "3 so far") });
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });
});
