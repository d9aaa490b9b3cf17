import { describe, expect, it } from "vitest";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../../src/conversation/agents/conversable-agent-options.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import type { InnerChat } from "../../../src/conversation/chats/inner-chat.ts";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

const quiet = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: "NEVER", ...options });

/** An agent that answers with its name and what it was told last. */
function echo(name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent {
  const llm = scriptedModel(
    ({ messages }) => `${name}: ${(messages.at(-1)?.content ?? "").replaceAll("\n", "|")}`,
  );
  return quiet(name, { llm, ...options });
}

const once = { maxTurns: 1 } as const;

/** What an agent with these nested chats answers. */
async function answered(chats: readonly InnerChat[], said: unknown = "question"): Promise<unknown> {
  const asker = quiet("asker");
  const owner = echo("owner").registerNestedChats(chats, asker);
  const { chatHistory, reason } = await asker.initiateChat(owner, {
    message: said as string,
    ...once,
  });
  return chatHistory[1]?.content ?? reason;
}

describe("nested chats", () => {
  it("D2.16, NRP1: the first opens with the last message; the last summary is the answer", async () => {
    const chats = [
      { recipient: echo("a"), ...once },
      { recipient: echo("b"), message: "and you?", ...once },
    ];
    expect(await answered(chats)).toBe("b: and you?|Context: |a: question");
  });

  it("D2.16: a chat without a message is left out; when all are, there is no answer", async () => {
    const silent = { recipient: echo("a"), message: () => "", ...once };
    expect(await answered([silent, { recipient: echo("b"), message: "b?", ...once }])).toBe(
      "b: b?",
    );
    expect(await answered([silent])).toBe("no reply generated");
  });

  it("D2.17: the carryover leaves out the last two messages", async () => {
    const asker = echo("asker");
    const owner = echo("owner");
    const inner = echo("inner");
    owner.registerNestedChats(
      [{ recipient: inner, carryoverConfig: { summaryMethod: "all" }, message: "Go", ...once }],
      ({ name }) => name === "asker",
    );
    const { chatHistory } = await asker.initiateChat(owner, { message: "m1", maxTurns: 2 });
    expect(chatHistory.map(({ content }) => content)).toEqual([
      "m1",
      "inner: Go",
      "asker: inner: Go",
      "inner: Go|Context:|m1",
    ]);
  });

  it("NRP2: a function makes the carryover, and a model may reflect on it", async () => {
    const recipient = quiet("a", { llm: scriptedModel(["They met.", "Read."]) });
    const config = (summaryMethod: "reflection_with_llm" | (() => string)) => ({
      recipient,
      message: "Go",
      carryoverConfig: { summaryMethod, leaveOut: 0 },
      ...once,
    });
    expect(await answered([{ ...config(() => "made"), recipient: echo("b") }])).toBe(
      "b: Go|Context:|made",
    );
    expect(await answered([config("reflection_with_llm")])).toBe("Read.");
  });

  it("TRN1: they come after the check for the end, and other senders get the model's answer", async () => {
    const chats = [{ recipient: echo("a"), message: "a?", ...once }];
    expect(await answered(chats, "TERMINATE")).toBe("termination condition met");
    const other = quiet("other");
    const owner = echo("owner").registerNestedChats(chats, "asker");
    const { summary } = await other.initiateChat(owner, { message: "hi", ...once });
    expect(summary).toBe("owner: hi");
  });

  it("NRP1: wherever the process dies, variables and usage of nested chats come out the same", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const contextVariables = new ContextVariables({ asked: 0 });
      const asker = echo("asker");
      const inner = echo("inner", { contextVariables });
      inner.registerReply(
        () => true,
        (about) => {
          about.contextVariables.set("asked", Number(about.contextVariables.get("asked")) + 1);
          return undefined;
        },
      );
      const owner = echo("owner", { contextVariables });
      owner.registerNestedChats([{ recipient: inner, message: async () => "in?", ...once }], asker);
      return { program: chatProgram([owner, asker], { message: "begin", maxTurns: 3 }) };
    });
    expect(whole.course.output).toMatchObject({
      contextVariables: { asked: 2 },
      cost: { byAgent: { inner: { requests: 2 }, asker: { requests: 3 } } },
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
