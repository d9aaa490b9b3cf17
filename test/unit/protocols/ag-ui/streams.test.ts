import { expect, it } from "vitest";
import { RunCodec } from "../../../../src/protocols/ag-ui/codec.ts";
import { framesOf } from "../../../../src/protocols/ag-ui/event-stream.ts";
import { wait } from "../../../../src/index.ts";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { Agent } from "../../../../src/agent/description/agent.ts";
import type {
  CallOptions,
  LanguageModel,
  ModelResponse,
} from "../../../../src/llm/language-model.ts";
import { NO_USAGE } from "../../../../src/base/usage.ts";
import {
  AgUiWorld,
  framesIn,
  ofType,
  readFrames,
  typesOf,
  type Frame,
} from "../../../support/ag-ui-world.ts";

refuseWarnings();

/** A model that says what the test has it say, when the test says so. */
class SpokenModel implements LanguageModel {
  readonly id = "spoken/model";
  readonly contextWindow = 100_000;
  readonly capabilities = { tools: true, responseSchema: true, stop: true };
  readonly calls: Array<{
    options: CallOptions;
    end: (response: Partial<ModelResponse>) => void;
    fail: (error: Error) => void;
  }> = [];
  readonly #waiting: Array<() => void> = [];

  generate(_: unknown, options: CallOptions): Promise<ModelResponse> {
    return new Promise((resolve, reject) => {
      const end = (response: Partial<ModelResponse>): void =>
        resolve({
          text: "",
          toolCalls: [],
          finishReason: "stop",
          usage: { ...NO_USAGE, requests: 1, promptTokens: 3, completionTokens: 2, totalTokens: 5 },
          ...response,
        });
      this.calls.push({ options, end, fail: reject });
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  async call(index: number) {
    while (this.calls.length <= index)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const call = this.calls[index];
    if (call === undefined) throw new Error("no call");
    return {
      ...call,
      say: (text: string) => call.options.onDelta?.(text),
      think: (text: string) => call.options.onThinking?.(text),
    };
  }
}

function spoken() {
  const model = new SpokenModel();
  const speaker = new Agent({ role: "Speaker", goal: "Speak", backstory: "Loud." });
  return { model, world: new AgUiWorld({ agents: { speaker }, runModel: model }) };
}

/** Reads frames as they come. */
class Reader {
  readonly frames: Frame[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.getReader();
  }

  async until(type: string, count = 1): Promise<void> {
    while (this.frames.filter(({ event }) => event.type === type).length < count) {
      const { done, value } = await this.#reader.read();
      if (done)
        throw new Error(
          `the stream ended before ${type}: ${typesOf(this.frames.map(({ event }) => event)).join()}`,
        );
      this.#text += new TextDecoder().decode(value);
      const end = this.#text.lastIndexOf("\n\n") + 2;
      this.frames.push(...readFrames(this.#text.slice(0, end)));
      this.#text = this.#text.slice(end);
    }
  }

  async rest(): Promise<void> {
    await this.until("RUN_FINISHED");
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

const input = {
  threadId: "t",
  runId: "r",
  messages: [{ id: "u", role: "user", content: "Speak" }],
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

it("text streams as it is generated, though the agent's definition does not stream", async () => {
  const { model, world } = spoken();
  const reader = new Reader(await world.post("speaker", input));
  const call = await model.call(0);
  await settle();
  call.think("Well");
  await reader.until("REASONING_MESSAGE_CONTENT");
  call.say("Good ");
  await reader.until("TEXT_MESSAGE_CONTENT");
  call.say("day");
  call.end({ text: "Good day" });
  await reader.rest();
  const deltas = ofType(
    reader.frames.map(({ event }) => event),
    "TEXT_MESSAGE_CONTENT",
  ).map(({ delta }) => delta);
  expect(deltas).toEqual(["Good ", "day"]);
});

it("UW1: the text of a failed attempt is withdrawn, also on the client", async () => {
  const { model, world } = spoken();
  const front = world.agent("speaker").say("Speak", "u1");
  const running = front.run();
  const first = await model.call(0);
  await settle();
  first.think("Hm");
  first.say("Wrong ");
  await settle();
  first.fail(new EngineError("model_failed", "cut off", { retryable: true }));
  await settle();
  await world.clock.advance(60_000);
  const second = await model.call(1);
  await settle();
  expect(front.agent.messages.map(({ content }) => content)).not.toContain("Wrong ");
  second.say("Right");
  await settle();
  second.end({ text: "Right" });
  const events = await running;
  expect(
    front.agent.messages.flatMap(({ role, content }) => (role === "assistant" ? [content] : [])),
  ).toEqual(["Right"]);
  const started = ofType(events, "TEXT_MESSAGE_START").map(({ messageId }) => messageId);
  expect(new Set(started).size).toBe(1);
  expect(ofType(events, "MESSAGES_SNAPSHOT")).toHaveLength(1);
});

/** The frames of a client that lost its connection behind each frame, one after the other. */
async function continuedBehind(world: AgUiWorld, frame: Frame): Promise<Frame[]> {
  return framesIn(await world.post("speaker", input, { "last-event-id": frame.id ?? "" }));
}

it("UE1: a stream continues behind every frame, without gap or double", async () => {
  const { model, world } = spoken();
  const reader = new Reader(await world.post("speaker", input));
  const call = await model.call(0);
  await settle();
  call.think("Well, ");
  await reader.until("REASONING_MESSAGE_CONTENT");
  call.think("then");
  await reader.until("REASONING_MESSAGE_CONTENT", 2);
  call.say("Good ");
  await reader.until("TEXT_MESSAGE_CONTENT");
  call.say("day ");
  await reader.until("TEXT_MESSAGE_CONTENT", 2);
  const half = reader.frames.at(-1);
  const second = new Reader(
    await world.post("speaker", input, { "last-event-id": half?.id ?? "" }),
  );
  await settle();
  call.say("to you");
  await second.until("TEXT_MESSAGE_CONTENT");
  call.end({ text: "Good day to you" });
  await Promise.all([reader.rest(), second.rest()]);
  expect(typesOf(second.frames.map(({ event }) => event))[0]).toBe("TEXT_MESSAGE_CONTENT");
  expect(second.frames[0]?.event).toMatchObject({ delta: "to you" });
  const whole = reader.frames;
  for (const [index, frame] of whole.entries()) {
    if (frame.id === undefined) continue;
    const rest = await continuedBehind(world, frame);
    const all = [...whole.slice(0, index + 1), ...rest].map(({ event }) => event);
    expect(shape(all)).toEqual(shape(whole.map(({ event }) => event)));
  }
  expect(model.calls).toHaveLength(1);
});

/** The order of events, with the text of each message as one. */
function shape(events: readonly Frame["event"][]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.type === "TEXT_MESSAGE_CONTENT" && lines.at(-1)?.startsWith("text "))
      lines.push(`${lines.pop()}${event.delta}`);
    else if (event.type === "TEXT_MESSAGE_CONTENT") lines.push(`text ${event.delta}`);
    else if (event.type !== "REASONING_MESSAGE_CONTENT") lines.push(event.type);
  }
  // Thoughts are live only: a stream that begins later has none.
  return lines.filter((line) => !line.startsWith("REASONING"));
}

it("an invalid Last-Event-ID starts at the beginning", async () => {
  const { model, world } = spoken();
  const posting = world.post("speaker", input, { "last-event-id": "nonsense~x" });
  (await model.call(0)).end({ text: "Hi" });
  const frames = await framesIn(await posting);
  expect(frames[0]?.event.type).toBe("RUN_STARTED");
});

it("UC2: the same request again gets the same run, while it runs and afterwards", async () => {
  const { model, world } = spoken();
  const one = new Reader(await world.post("speaker", input));
  const two = new Reader(await world.post("speaker", input));
  const call = await model.call(0);
  await settle();
  call.say("Hi");
  call.end({ text: "Hi" });
  await Promise.all([one.rest(), two.rest()]);
  const three = await framesIn(await world.post("speaker", input));
  expect(typesOf(three.map(({ event }) => event)).at(-1)).toBe("RUN_FINISHED");
  expect(model.calls).toHaveLength(1);
});

it("another conversation under the same run id is RUN_ERROR", async () => {
  const { model, world } = spoken();
  const first = world.events("speaker", input);
  (await model.call(0)).end({ text: "Hi" });
  await first;
  const messages = [{ id: "other", role: "user", content: "Something else" }];
  expect(await world.events("speaker", { ...input, messages })).toMatchObject([
    { type: "RUN_ERROR", code: "conflict" },
  ]);
});

it("a front end that disconnects leaves the run going", async () => {
  const { model, world } = spoken();
  const reader = new Reader(await world.post("speaker", input));
  const call = await model.call(0);
  await reader.leave();
  call.end({ text: "Hi" });
  await settle();
  const { items } = await world.runs.list({ tenant: "default", limit: 5 });
  expect(items).toMatchObject([{ status: "completed" }]);
});

it("with cancelOnAbort its run is cancelled", async () => {
  const model = new SpokenModel();
  const speaker = new Agent({ role: "Speaker", goal: "Speak", backstory: "Loud." });
  const world = new AgUiWorld({ agents: { speaker }, runModel: model, cancelOnAbort: true });
  const reader = new Reader(await world.post("speaker", input));
  await model.call(0);
  await reader.leave();
  await settle();
  const { items } = await world.runs.list({ tenant: "default", limit: 5 });
  expect(items).toMatchObject([{ status: "cancelled" }]);
  const events = await world.events("speaker", { ...input, protocolVersion: "1.0" });
  expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "cancelled" });
});

it("UE3: a silent stream is kept alive", async () => {
  const { model, world } = spoken();
  const { body } = await world.post("speaker", input);
  const reader = body?.getReader();
  const call = await model.call(0);
  let text = "";
  const reading = (async () => {
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      text += new TextDecoder().decode(next.value);
    }
  })();
  await settle();
  await world.clock.advance(31_000);
  await settle();
  expect(text.match(/: keep-alive/g)?.length).toBeGreaterThanOrEqual(1);
  call.end({ text: "Hi" });
  await reading;
  expect(text).toContain("RUN_FINISHED");
});

it("a stream stays open while the run waits for a timer", async () => {
  const sleepy = new Agent({ role: "Sleepy", goal: "Rest", backstory: "Slow.", tools: [wait] });
  const world = new AgUiWorld({
    agents: { sleepy },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? "Rested"
        : { toolCalls: [{ name: "wait", arguments: { seconds: 90 } }] },
  });
  const front = world.agent("sleepy").say("Rest");
  const running = front.run();
  const over = new AbortController();
  void running.then(() => over.abort());
  for (let minute = 0; minute < 20 && !over.signal.aborted; minute++) {
    await world.clock.advance(15_000);
    await settle();
  }
  const events = await running;
  expect(front.lastText).toBe("Rested");
  expect(ofType(events, "RUN_STARTED")).toHaveLength(1);
});

/** A part of a run that is nothing but these events. */
function partOf(events: readonly object[], run: object = {}) {
  const codec = new RunCodec({
    id: "run",
    threadId: "t",
    requestId: "r",
    createdAtMs: 0,
    messages: [],
    callerTools: [],
    answered: new Set(),
    show: (state) => state,
  });
  const reported: unknown[] = [];
  const handle = {
    async *events() {
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield { at: "2026-01-01T00:00:00.000Z", path: "", ...event };
      }
    },
  };
  const frames = framesOf({
    handle: handle as never,
    codec,
    after: 0,
    run: async () => ({ waits: [], ...run }) as never,
    signal: new AbortController().signal,
    report: (error) => reported.push(error),
  });
  return { frames, reported };
}

async function typesIn(frames: AsyncIterable<string>): Promise<object[]> {
  const all: object[] = [];
  for await (const text of frames) all.push(...readFrames(text).map(({ event }) => event));
  return all;
}

const begun = [
  { seq: 1, type: "run_started", kind: "crew", name: "c", inputs: {} },
  { seq: 2, type: "task_started", path: "task:a", taskName: "a", agentRole: "A", context: "" },
];

it("a run held for other code is RUN_ERROR with the reason, and its steps are closed", async () => {
  const held = {
    code: "journal_mismatch",
    message: "other code",
    key: "k",
    since: "x",
    codeVersion: "1",
  };
  const { frames } = partOf([...begun, { seq: 3, type: "run_held", ...held }], { held });
  const events = (await typesIn(frames)) as Array<{ type: string }>;
  expect(typesOf(events)).toEqual(["RUN_STARTED", "STEP_STARTED", "STEP_FINISHED", "RUN_ERROR"]);
  expect(Object.keys(events.at(-1) ?? {}).toSorted()).toEqual([
    "code",
    "message",
    "timestamp",
    "type",
  ]);
});

it("an unreadable log is RUN_ERROR, and is reported", async () => {
  const { frames, reported } = partOf([...begun, new Error("gone")]);
  expect(typesOf((await typesIn(frames)) as never)).toEqual([
    "RUN_STARTED",
    "STEP_STARTED",
    "STEP_FINISHED",
    "RUN_ERROR",
  ]);
  expect(reported).toHaveLength(1);
});

it("a page reloaded during a run has the messages, and the rest of the run", async () => {
  const { model, world } = spoken();
  const old = world.agent("speaker", { threadId: "t" }).say("One", "u1");
  const first = old.run();
  (await model.call(0)).end({ text: "First" });
  await first;
  old.say("Two", "u2");
  const second = old.run();
  const call = await model.call(1);
  await settle();
  call.say("Half ");
  await settle();
  const again = world.agent("speaker", { threadId: "t" });
  const loaded = again.run();
  await settle();
  await settle();
  call.say("done");
  call.end({ text: "Half done" });
  await Promise.all([second, loaded]);
  expect(again.agent.messages).toEqual(old.agent.messages);
  expect(again.lastText).toBe("Half done");
  expect(model.calls).toHaveLength(2);
});
