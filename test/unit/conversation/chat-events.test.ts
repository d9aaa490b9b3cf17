import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { shownMessage } from "../../../src/conversation/chats/chat-events.ts";
import type { ChatOptions } from "../../../src/conversation/chats/chat-options.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import type { ChatEvents } from "../../../src/conversation/events.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { onEvent } from "../../../src/events/listener.ts";
import { tool } from "../../../src/tools/tool.ts";
import { allEvents, askedSpeaker, speaker } from "../../support/conversations.ts";
import { calling } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

type ChatEvent = Extract<RunEvent, { readonly type: keyof ChatEvents }>;

const chatEventsOf = (events: readonly unknown[]): readonly ChatEvent[] =>
  (events as readonly RunEvent[]).filter((event): event is ChatEvent =>
    event.type.startsWith("chat_"),
  );

async function eventsOf(
  sender: ConversableAgent,
  recipient: ConversableAgent,
  options: ChatOptions,
): Promise<readonly ChatEvent[]> {
  return chatEventsOf(await allEvents(sender.startChat(recipient, options)));
}

const typesOf = (events: readonly ChatEvent[]): readonly string[] =>
  events.map(({ type }) => type.replace(/^chat_/, ""));

const terminations = (events: readonly ChatEvent[]) =>
  events.flatMap((event) =>
    event.type === "chat_terminated"
      ? [{ reason: event.reason, sender: event.sender, recipient: event.recipient }]
      : [],
  );

describe("events at the end of a chat", () => {
  it("CEV1: the end names its reason, sender and recipient (D1.1)", async () => {
    const events = await eventsOf(speaker("ana", []), speaker("bo", []), { message: "TERMINATE" });
    expect(typesOf(events)).toEqual(["started", "message_sent", "terminated", "completed"]);
    expect(terminations(events)).toEqual([
      { reason: "termination condition met", sender: "bo", recipient: "ana" },
    ]);
    expect(events[0]).toMatchObject({
      chat: "ana and bo",
      members: [
        { name: "ana", isHuman: false },
        { name: "bo", isHuman: false },
      ],
    });
    expect(events.at(-1)).toMatchObject({ summary: "", startedId: events[0]?.id });
    expect(events[1]).toMatchObject({ parentId: events[0]?.id });
  });

  it("CEV1: the maximum of replies in a row is a reason (D1.3)", async () => {
    const bo = speaker("bo", ["b1", "b2"], { maxConsecutiveAutoReply: 1 });
    const events = await eventsOf(speaker("ana", ["a2"]), bo, { message: "a1" });
    expect(terminations(events)).toEqual([
      {
        reason: "maximum number of consecutive auto-replies reached",
        sender: "bo",
        recipient: "ana",
      },
    ]);
  });

  it("CEV1: the maximum of turns is the initiator's reason (D1.7)", async () => {
    const events = await eventsOf(speaker("ana", []), speaker("bo", ["b1"]), {
      message: "a1",
      maxTurns: 1,
    });
    expect(events.filter(({ type }) => type === "chat_message_sent")).toHaveLength(2);
    expect(terminations(events)).toEqual([
      { reason: "maximum turns reached", sender: "ana", recipient: "bo" },
    ]);
  });

  it("CEV1: an ending reply in a chat of few turns needs no reason (D1.8)", async () => {
    const bo = speaker("bo", ["TERMINATE"]);
    const events = await eventsOf(speaker("ana", []), bo, { message: "a1", maxTurns: 3 });
    expect(typesOf(events)).toEqual(["started", "message_sent", "message_sent", "completed"]);
  });

  it("CEV1: an empty answer of a person is an event, and so is the following reply (D1.5)", async () => {
    const bo = askedSpeaker("bo", ["", "exit"], {
      humanInputMode: "ALWAYS",
      defaultAutoReply: "well",
    });
    const events = await eventsOf(speaker("ana", ["a2"]), bo, { message: "a1" });
    expect(typesOf(events)).toEqual([
      "started",
      "message_sent",
      "human_input_empty",
      "auto_reply_used",
      "message_sent",
      "message_sent",
      "terminated",
      "completed",
    ]);
    expect(events[3]).toMatchObject({ sender: "bo", recipient: "ana", humanInputMode: "ALWAYS" });
  });

  it("CEV1: an agent without a person has no event for automatic replies (D1.2)", async () => {
    const events = await eventsOf(speaker("ana", []), speaker("bo", ["TERMINATE"]), {
      message: "done TERMINATE",
    });
    expect(typesOf(events)).not.toContain("auto_reply_used");
  });

  it("CEV1: a failed chat has an event with its error", async () => {
    const bo = new ConversableAgent({
      name: "bo",
      getHumanInput: () => {
        throw new Error("the line is dead");
      },
      humanInputMode: "ALWAYS",
    });
    const handle = speaker("ana", []).startChat(bo, { message: "a1" });
    await expect(handle.output()).rejects.toThrow("the line is dead");
    const events = chatEventsOf(await allEvents(handle));
    expect(events.at(-1)).toMatchObject({
      type: "chat_failed",
      chat: "ana and bo",
      error: expect.stringContaining("the line is dead"),
    });
  });
});

describe("queues", () => {
  it("CEV1: each chat has events for its carryover and its cleared history", async () => {
    const told: ChatEvent[] = [];
    const types = ["chat_carryover_added", "chat_history_cleared"] as const;
    const note = onEvent([...types], (event) => void told.push(event as ChatEvent));
    const [ana, bo] = [speaker("ana", []), speaker("bo", ["b1", "b2"])];
    await ana.initiateChats(
      [
        { recipient: bo, message: "one", maxTurns: 1 },
        { recipient: bo, message: "two", maxTurns: 1, carryover: "own", summaryMethod: null },
      ],
      { listeners: [note] },
    );
    expect(told).toMatchObject([
      { carryover: [], message: "one", summaryMethod: "last_msg", maxTurns: 1 },
      { carryover: ["own", "b1"], message: "two", summaryMethod: null, sender: "ana" },
      { type: "chat_history_cleared", kept: 0 },
    ]);
  });
});

describe("events after a crash", () => {
  const made = () => {
    const calls: string[] = [];
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => {
        calls.push("look");
        return "the disk is full";
      },
    });
    const bo = speaker("bo", ({ messages }) => {
      if (messages.length === 2) return calling("look");
      return messages.length === 4 ? "The disk is full." : "TERMINATE";
    });
    bo.registerForLlm(look);
    const ana = new UserProxyAgent({ name: "ana", humanInputMode: "TERMINATE" });
    ana.registerForExecution(look);
    return {
      calls,
      program: chatProgram([ana, bo], { message: "Look.", carryover: ["yesterday"] }),
      answer: () => ({ feedback: "" }),
    };
  };

  it("CEV1: events are the same wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(typesOf(chatEventsOf(whole.events))).toEqual([
      "started",
      "carryover_added",
      "message_sent",
      "message_sent",
      "auto_reply_used",
      "message_sent",
      "message_sent",
      "auto_reply_used",
      "message_sent",
      "message_sent",
      "human_input_empty",
      "terminated",
      "completed",
    ]);
    expect(cut.length).toBeGreaterThan(10);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});

describe("long messages", () => {
  it("CEV2: texts, arguments and results are cut, parts become text", () => {
    const long = "x".repeat(20_000);
    const { content, toolCalls, toolResponses } = shownMessage({
      role: "assistant",
      content: [{ type: "image_url", image_url: `data:image/png;base64,${long}` }],
      toolCalls: [{ id: "1", name: "look", arguments: long }],
      toolResponses: [{ toolCallId: "1", content: long }],
    });
    expect(content).toBe("<image>");
    expect(toolCalls?.[0]?.arguments).toContain("[cut: 3616 of 20000 characters left out]");
    expect(toolResponses?.[0]?.content).toContain("[cut: 3616 of 20000 characters left out]");
    const short = { role: "user", content: [{ type: "text", text: "hi" }], name: "ana" } as const;
    expect(shownMessage(short)).toEqual(short);
  });
});
