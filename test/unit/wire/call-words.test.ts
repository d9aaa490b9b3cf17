import { describe, expect, it } from "vitest";
import { foldCall, foldWords, withSnapshots, type Words } from "../../../src/wire/call-words.ts";
import { OpenCalls } from "../../../src/events/open-calls.ts";
import type { LiveEvent, RunEvent } from "../../../src/events/run-event.ts";

type Heard = RunEvent | LiveEvent;

const text = (chunk: string, offset: number, more: number | object = 1): Heard => {
  const rest = typeof more === "number" ? { attempt: more } : { attempt: 1, ...more };
  return { type: "llm_stream_chunk", callId: "c", chunk, offset, ...rest } as never;
};
const thought = (chunk: string, offset: number, attempt = 1): Heard =>
  ({ type: "llm_thinking_chunk", callId: "c", chunk, attempt, offset }) as never;
const tool = (args: string, offset: number, attempt = 1): Heard =>
  text("", offset, { attempt, toolCall: { index: 0, id: "", name: "look", arguments: args } });
const kept = (type: string, more: object): Heard => ({ seq: 1, type, ...more }) as never;

const fold = (events: readonly Heard[], words: Words = {}): Words =>
  events.reduce(foldWords, words);

describe("the words of a call", () => {
  it("LW1: grow by each chunk, in each channel", () => {
    const events = [thought("hm", 0), text("one ", 0), text("two", 4), tool(`{"a"`, 0)];
    expect(fold([...events, tool(":1}", 4)])["c"]).toMatchObject({
      text: "one two",
      thinking: "hm",
      toolCalls: [{ index: 0, name: "look", arguments: `{"a":1}` }],
      done: false,
    });
  });

  it("LW1: have no word of an earlier attempt, also when it arrives late", () => {
    const events = [thought("hm", 0), text("one ", 0), tool("{", 0), text("uno ", 0, 2)];
    const late = [text("two", 4, 1), text("dos", 4, 2)];
    expect(fold([...events, ...late])["c"]).toMatchObject({
      text: "uno dos",
      thinking: "",
      toolCalls: [],
      attempt: 2,
    });
  });

  it("LW1: have no word twice, and none after a gap", () => {
    const said = [text("one ", 0), text("one ", 0), text("four", 14), text("two ", 4)];
    expect(fold([...said, text("two ", 4)])["c"]?.text).toBe("one two ");
  });

  it("LW1: start again after a reset, as when the next model of a chain answers", () => {
    const events = [thought("hm", 0), text("one ", 0), text("", 0, { reset: true })];
    expect(fold(events)["c"]).toMatchObject({ text: "", thinking: "" });
    expect(fold([...events, text("uno", 0)])["c"]?.text).toBe("uno");
  });

  it.each([
    ["is tried again", kept("step_retrying", { key: "c", attempt: 1 })],
    ["begins again after a crash", kept("step_restarted", { key: "c", attempt: 2 })],
    ["fails", kept("llm_call_failed", { callId: "c", error: "no" })],
  ])("LW2: are dropped once the call %s (CA22)", (_, event) => {
    expect(fold([text("one ", 0), event, text("two", 4, 1)])["c"]?.text).toBe("");
  });

  it("LW2: are the response once the call is completed, after any chunks", () => {
    const calls = [{ id: "1", name: "look", arguments: "{}" }];
    const end = kept("llm_call_completed", { callId: "c", response: "one two", toolCalls: calls });
    for (const before of [[], [text("one ", 0)], [text("else", 0, 3), tool("{", 0)]])
      expect(fold([...before, end, text("late", 7)])["c"]).toMatchObject({
        text: "one two",
        toolCalls: [{ index: 0, ...calls[0] }],
        done: true,
      });
  });

  it("LW2: stay as streamed when a view has cut the response", () => {
    const end = kept("llm_call_completed", { callId: "c", response: "one", cut: true });
    expect(fold([text("one two", 0), end])["c"]).toMatchObject({ text: "one two", done: true });
    expect(fold([end])["c"]).toMatchObject({ text: "one", done: true });
  });

  it("are not changed by other events", () => {
    const words = fold([text("one ", 0)]);
    for (const event of [
      kept("task_completed", {}),
      kept("step_retrying", { key: "other", attempt: 1 }),
      kept("tool_usage_finished", { callId: "c" }),
    ])
      expect(foldWords(words, event)).toBe(words);
  });

  it("can be read from a Worker with chunks without attempt and offset", () => {
    const plain = ["one ", "two"].map(
      (chunk): Heard => ({ type: "llm_stream_chunk", callId: "c", chunk }) as never,
    );
    expect(fold(plain)["c"]?.text).toBe("one two");
  });

  it("LW3: are the same for a late subscriber, at any chunk (CA22)", () => {
    const events = [
      thought("hm ", 0),
      text("one ", 0),
      text("two ", 4),
      kept("step_retrying", { key: "c", attempt: 1 }),
      thought("so ", 0, 2),
      text("uno ", 0, 2),
      text("", 0, { attempt: 2, reset: true }),
      text("ein ", 0, 2),
      tool(`{"a"`, 0, 2),
      tool(":1}", 4, 2),
      text("zwei", 4, 2),
    ];
    for (let joins = 0; joins <= events.length; joins++) {
      const open = new OpenCalls();
      for (const event of events.slice(0, joins)) open.take(event);
      const late = [...open.snapshots("now"), ...events.slice(joins)];
      const said = (list: readonly Heard[]): string[] => {
        const { text: words = "", thinking = "" } = fold(list)["c"] ?? {};
        return [words, thinking];
      };
      for (let rest = events.length - joins; rest >= 0; rest--)
        expect(said(late.slice(0, late.length - rest))).toEqual(
          said(events.slice(0, events.length - rest)),
        );
      expect(fold(late)["c"]).toEqual(fold(events)["c"]);
    }
  });

  it("asks for snapshots with chunks", () => {
    expect([...withSnapshots(["llm_thinking_chunk"])]).toContain("llm_stream_snapshot");
    expect([...withSnapshots(["task_started"])]).toEqual(["task_started"]);
  });
});

describe("open calls", () => {
  const piece = "x".repeat(100_000);

  it("are freed at their end", () => {
    for (const type of ["llm_call_completed", "llm_call_failed"]) {
      const open = new OpenCalls();
      open.take(text("one", 0));
      expect(open.snapshots("now")).toHaveLength(1);
      open.take(kept(type, { callId: "c", response: "one" }));
      expect(open.snapshots("now")).toEqual([]);
    }
  });

  it("LW1: store a bounded beginning, without later chunks", () => {
    const open = new OpenCalls();
    for (let n = 0; n < 20; n++) open.take(text(piece, n * piece.length));
    const [snapshot] = open.snapshots("now");
    const late = snapshot && foldCall(foldCall(undefined, snapshot), text("y", 20 * piece.length));
    expect(late?.text).toMatch(/^x+$/);
    expect(late?.text.length).toBeLessThan(600_000);
  });
});
