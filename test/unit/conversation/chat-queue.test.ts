import { describe, expect, it } from "vitest";
import { errorMessage } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { initiateChats } from "../../../src/conversation/chats/initiate-chats.ts";
import type { PrerequisiteChat } from "../../../src/conversation/chats/queued-chat.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { toldTo } from "../../support/crew-harness.ts";

const host = new ConversableAgent({ name: "host", humanInputMode: "NEVER" });

/** An agent that answers with its name and what it was told last, and notes when. */
function echo(name: string, order: string[] = []) {
  const model = scriptedModel(({ messages }) => {
    order.push(name);
    return `${name}: ${(messages.at(-1)?.content ?? "").replaceAll("\n", "|")}`;
  });
  const agent = new ConversableAgent({ name, humanInputMode: "NEVER", llm: model });
  return { agent, model };
}

const once = { maxTurns: 1 } as const;

describe("chats in a row", () => {
  it("CHQ1, CHQ4: each receives the earlier summaries, without excluded ones", async () => {
    const results = await host.initiateChats([
      { recipient: echo("a").agent, message: "1", ...once },
      { recipient: echo("b").agent, message: "2", ...once },
      {
        recipient: echo("c").agent,
        message: "3",
        carryover: "own",
        finishedChatIndexesToExcludeFromCarryover: [0],
        ...once,
      },
    ]);
    expect(results.map(({ summary }) => summary)).toEqual([
      "a: 1",
      "b: 2|Context: |a: 1",
      "c: 3|Context: |own|b: 2|Context: |a: 1",
    ]);
  });

  it("the same two continue their chat with clearHistory false", async () => {
    const { agent, model } = echo("a");
    await host.initiateChats([
      { recipient: agent, message: "1", ...once },
      { recipient: agent, message: "2", clearHistory: false, ...once },
      { recipient: agent, message: "3", ...once },
    ]);
    expect(model.calls.map((_, index) => toldTo(model, index).length)).toEqual([2, 4, 2]);
  });

  it("CHQ4: refuses a queue before its first chat", async () => {
    const { agent, model } = echo("a");
    const good = { recipient: agent, message: "1", ...once };
    expect(await initiateChats([good]).then(String, errorMessage)).toContain(
      "chat 1 of the queue: needs a sender",
    );
    expect(
      await host.initiateChats([good, { ...good, maxTurns: -2 }]).then(String, errorMessage),
    ).toContain("maxTurns must be an integer >= 0");
    expect(
      await host
        .initiateChats([
          good,
          { ...good, finishedChatIndexesToExcludeFromCarryover: ["x" as never] },
        ])
        .then(String, errorMessage),
    ).toContain("chat 2 of the queue: finishedChatIndexesToExcludeFromCarryover");
    expect(model.calls).toHaveLength(0);
  });
});

describe("chats side by side", () => {
  const chat = (
    chatId: number,
    name: string,
    options: Partial<PrerequisiteChat> = {},
  ): PrerequisiteChat => ({
    chatId,
    recipient: echo(name).agent,
    message: `to ${name}`,
    ...once,
    ...options,
  });

  it("CHQ2: each waits for its prerequisites and receives their summaries alone", async () => {
    const results = await host.initiateParallelChats([
      chat(3, "c", { prerequisites: [1, 2] }),
      chat(1, "a"),
      chat(2, "b"),
      chat(4, "d", { prerequisites: [1] }),
    ]);
    expect([...results.keys()]).toEqual([3, 1, 2, 4]);
    expect(results.get(3)?.summary).toBe("c: to c|Context: |a: to a|b: to b");
    expect(results.get(4)?.summary).toBe("d: to d|Context: |a: to a");
  });

  it("CHQ3: the same two in two chats at once see only their own messages", async () => {
    const { agent } = echo("a");
    const results = await host.initiateParallelChats([
      chat(1, "a", { recipient: agent, message: "one" }),
      chat(2, "a", { recipient: agent, message: "two" }),
    ]);
    expect(results.get(1)?.chatHistory.map(({ content }) => content)).toEqual(["one", "a: one"]);
    expect(results.get(2)?.chatHistory.map(({ content }) => content)).toEqual(["two", "a: two"]);
    expect(results.get(1)?.cost.total.requests).toBe(1);
  });

  it("D2.15, CHQ4: chats in a circle, or with an unknown prerequisite, are refused", async () => {
    const circle = [chat(1, "a", { prerequisites: [2] }), chat(2, "b", { prerequisites: [1] })];
    await expect(host.initiateParallelChats(circle)).rejects.toMatchObject({
      code: "invalid_definition",
    });
    const unknown = [chat(1, "a", { prerequisites: [7] })];
    await expect(host.initiateParallelChats(unknown)).rejects.toMatchObject({
      code: "invalid_definition",
    });
  });

  it("CHQ2: have the same result wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      program: {
        tasks: [],
        run: (scope) =>
          scope.run(async () => {
            const results = await host.initiateParallelChats([
              chat(1, "a"),
              chat(2, "b"),
              chat(3, "c", { prerequisites: [1, 2] }),
            ]);
            const inOrder = await host.initiateChats([
              { recipient: echo("d").agent, message: "last", ...once },
            ]);
            return [...results.values(), ...inOrder].map(({ summary }) => summary);
          }),
      },
    }));
    expect(whole.course.output).toEqual([
      "a: to a",
      "b: to b",
      "c: to c|Context: |a: to a|b: to b",
      "d: last",
    ]);
    expect(RunScope.current()).toBeUndefined();
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
