import { describe, expect, it } from "vitest";
import { TransformMessages } from "../../../../src/conversation/capabilities/transform-messages.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import {
  messageHistoryLimiter,
  messageNames,
  messageTokenLimiter,
  textCompressor,
  type MessageTransform,
} from "../../../../src/conversation/transforms.ts";
import { askedOf, modelAgent, quietAgent } from "../../../support/chatting-agents.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../../support/cut-off.ts";

/** A chat that counts up, in which the second agent's model sees what the transforms make of it. */
function counting(transforms: readonly MessageTransform[], maxTurns = 4) {
  const next = (text: string): string => `${Number(text.replace(/\D/g, "")) + 1}`;
  const one = modelAgent("one", ({ messages }) => next(messages.at(-1)?.content ?? ""));
  const two = modelAgent("two", ({ messages }) => next(messages.at(-1)?.content ?? ""));
  if (transforms.length > 0) new TransformMessages(transforms).addToAgent(two.agent);
  const subject: Subject = {
    program: chatProgram([one.agent, two.agent], { message: "0", maxTurns }),
  };
  return { subject, model: two.model };
}

describe("an agent with transforms", () => {
  it("TMS1: its model sees the last messages, and the run has no further rows (D6.54)", async () => {
    const plain = await cutAfterEveryWrite(() => counting([]).subject);
    const limiter = messageHistoryLimiter({ maxMessages: 3 });
    const limited = await cutAfterEveryWrite(() => counting([limiter]).subject);
    expect(limited.cut).toHaveLength(plain.cut.length);
    for (const { course } of limited.cut) expect(course).toEqual(limited.whole.course);
    const { subject, model } = counting([limiter]);
    const { run } = await runWhole(subject);
    expect(askedOf(model)).toEqual([["0"], ["0", "1", "2"], ["2", "3", "4"], ["4", "5", "6"]]);
    expect(run.output).toMatchObject({ summary: "7", chatHistory: { length: 8 } });
  });

  it("TMS1: several apply in their order", async () => {
    const { subject, model } = counting([
      messageHistoryLimiter({ maxMessages: 2, keepFirstMessage: true }),
      messageNames({ format: "{name} says " }),
    ]);
    await runWhole(subject);
    expect(askedOf(model).at(-1)).toEqual(["one says 0", "one says 6"]);
  });

  it("TMS2: a turn costs only the remaining messages", async () => {
    const lengths: number[] = [];
    let counted = 0;
    const count = (text: string): number => {
      counted++;
      return text.length;
    };
    const note: MessageTransform = (messages) => {
      lengths.push(counted);
      counted = 0;
      return messages;
    };
    const { subject, model } = counting([messageTokenLimiter({ maxTokens: 6, count }), note], 40);
    await runWhole(subject);
    expect(lengths).toHaveLength(40);
    expect(Math.max(...lengths.slice(10))).toBeLessThanOrEqual(lengths[9] ?? 0);
    expect(askedOf(model).at(-1)).toEqual(["76", "77", "78"]);
  });

  it("MIN2: the end of the conversation is decided on the original message", async () => {
    const { agent, model } = modelAgent("two", ["never said"]);
    new TransformMessages([() => []]).addToAgent(agent);
    const asker = quietAgent("asker");
    const { reason } = await asker.initiateChat(agent, { message: "TERMINATE" });
    expect(reason).toBe("termination condition met");
    expect(model.calls).toHaveLength(0);
  });
});

describe("compressing", () => {
  it("TFM5, KPT1: each text is compressed once, wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const calls: string[] = [];
      const compress = (text: string): string => {
        calls.push(text);
        return `~${text}`;
      };
      return { ...counting([textCompressor({ compress })]).subject, calls };
    });
    expect(whole.calls).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });

  it("KPT2: the same text twice in one turn is compressed once, and another chat compresses it again", async () => {
    const calls: string[] = [];
    const { agent, model } = modelAgent("two", () => "again");
    const compress = (text: string): string => {
      calls.push(text);
      return text.slice(0, 2);
    };
    new TransformMessages([textCompressor({ compress })]).addToAgent(agent);
    const asker = quietAgent("asker", { defaultAutoReply: "again" });
    await asker.initiateChat(agent, { message: "again", maxTurns: 3 });
    expect(askedOf(model).at(-1)).toEqual(["ag", "ag", "ag", "ag", "ag"]);
    expect(calls).toEqual(["again"]);
    await asker.initiateChat(agent, { message: "again", maxTurns: 1 });
    expect(calls).toEqual(["again", "again"]);
  });
});
