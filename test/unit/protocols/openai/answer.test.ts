import { describe, expect, it } from "vitest";
import type { LiveEvent, RunEvent } from "../../../../src/events/run-event.ts";
import { AnswerReader } from "../../../../src/protocols/openai/answer.ts";

const callId = "turn:1/llm";

type Event = RunEvent | LiveEvent;

function chunk(text: string, offset: number, attempt = 1): Event {
  return { type: "llm_stream_chunk", callId, chunk: text, attempt, offset } as unknown as Event;
}

function completed(response: string, id = callId, toolCalls?: unknown): Event {
  return { type: "llm_call_completed", callId: id, response, toolCalls } as unknown as Event;
}

const retrying = { type: "step_retrying", key: callId, attempt: 1 } as unknown as Event;

function read(events: readonly Event[], { result = "", kind = "agent", holds = false } = {}) {
  const reader = new AnswerReader({ kind, tasks: [] }, { holds });
  const texts = events.map((event) => reader.read(event).text);
  texts.push(reader.end(result));
  expect(texts.join("")).toBe(reader.said);
  return { said: reader.said, texts };
}

describe("the words of an answer", () => {
  it("OW4: are the same whether they came one by one or at once", () => {
    const pieces = [chunk("One ", 0), chunk("two", 4), completed("One two.")];
    const whole = read([completed("One two.")], { result: "One two." });
    expect(read(pieces, { result: "One two." }).said).toBe(whole.said);
    expect(read(pieces).texts).toEqual(["One ", "two", ".", ""]);
  });

  it("OW2: of a failed attempt stay, and the next one begins a new paragraph", () => {
    const events = [chunk("Half of", 0), retrying, chunk("The", 0, 2), completed("The whole.")];
    expect(read(events, { result: "The whole." }).said).toBe("Half of\n\nThe whole.");
  });

  it("OW2: are not repeated when a new attempt begins alike", () => {
    const again = [chunk("Th", 0, 2), chunk("e who", 2, 2), completed("The whole.")];
    const events = [chunk("The ", 0), retrying, ...again];
    expect(read(events, { result: "The whole." }).said).toBe("The whole.");
  });

  it("OW3: end with a differing result, once", () => {
    expect(read([completed("Draft.")], { result: "Better." }).said).toBe("Draft.\n\nBetter.");
    expect(read([completed("Yes")], { result: "Yes, and more" }).said).toBe("Yes, and more");
    expect(read([completed("So: yes. ")], { result: "yes." }).said).toBe("So: yes. ");
    expect(read([completed("Draft.")], { result: "{}", holds: true }).said).toBe("{}");
  });

  it.each([
    [["Thought: hm\nFinal Answer: Blue", "."], "Blue."],
    [["Thou", "ght: hm\nAction: look"], ""],
    [["Thought", "s differ."], "Thoughts differ."],
    [["**Final", " Answer:** Blue"], "Blue"],
    [["<tool_call>{}", "</tool_call>"], ""],
    [['{"a":', " 1}"], '{"a": 1}'],
    [["Plain", " words"], "Plain words"],
  ])("OW3: of %j the caller gets %j", (pieces, expected) => {
    let offset = 0;
    const events = pieces.map((piece) => {
      const event = chunk(piece, offset);
      offset += piece.length;
      return event;
    });
    const text = pieces.join("");
    expect(read([...events, completed(text)]).said).toBe(expected);
    expect(read([completed(text)]).said).toBe(expected);
  });

  it("OW3: begin after the label when a model calls tools in its text", () => {
    const started = { type: "agent_execution_started", tools: ["look"] } as unknown as Event;
    const begun = { type: "llm_call_started", callId, model: "m" } as unknown as Event;
    const events = [started, begun, chunk("I look.\n", 0), completed("I look.\nAction: look")];
    expect(read(events).said).toBe("");
    const answer = "I know.\nFinal Answer: Blue";
    expect(read([started, begun, chunk(answer, 0), completed(answer)]).said).toBe("Blue");
  });

  it("OW1: are those of no plan, no coworker and no conversion", () => {
    const others = [
      "plan/llm",
      "turn:1/tool:ask#0/turn:1/llm",
      "output:1/llm",
      "task:a/turn:1/llm",
    ];
    const events = others.map((id) => completed("secret", id));
    expect(read(events, { result: "Done." }).said).toBe("Done.");
    expect(read([completed("secret")], { result: "Done.", kind: "flow" }).said).toBe("Done.");
  });
});
