// Words of models for the subscribers of a run that was not asked to stream.
import { expect, it } from "vitest";
import * as z from "zod";
import { onEvent, type Listeners } from "../../../src/events/listener.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import type { EventsOptions } from "../../../src/runtime/handle/run-handle.ts";
import { accessWorld, keyOf } from "../../support/access-world.ts";
import { tool } from "../../../src/tools/tool.ts";

/** A crew whose second model call writes an answer; `streamed` has the way of each call on the wire. */
function talking(options: { stream?: boolean; script?: () => string | { error: Error } } = {}) {
  const streamed: boolean[] = [];
  const { stream } = options;
  const inner = scriptedModel([
    { toolCalls: [{ name: "look_up", arguments: {} }] },
    "one two three",
  ]);
  const llm: typeof inner = Object.assign(Object.create(inner) as typeof inner, {
    generate: (...[request, call]: Parameters<typeof inner.generate>) => {
      streamed.push(call.onDelta !== undefined);
      return inner.generate(request, call);
    },
  });
  const lookUp = tool({
    name: "look_up",
    description: "Look it up.",
    input: z.object({}),
    run: () => new Promise<string>((resolve) => setTimeout(() => resolve("found"), 5)),
  });
  const agent = new Agent({
    role: "Teller",
    goal: "Tell",
    backstory: "Calm.",
    llm,
    tools: [lookUp],
  });
  const task = new Task({ name: "talk", description: "Talk", expectedOutput: "Words", agent });
  const crew = new Crew({
    name: "talking",
    tasks: [task],
    ...(stream === undefined ? undefined : { stream }),
  });
  return { crew, streamed };
}

async function wordsFor(
  options: EventsOptions,
  definition: { stream?: boolean } = {},
): Promise<{ readonly words: string; readonly streamed: readonly boolean[] }> {
  const { crew, streamed } = talking(definition);
  const run = crew.start();
  let words = "";
  for await (const event of run.events(options))
    if (event.type === "llm_stream_chunk") words += event.chunk;
  expect((await run.output()).raw).toBe("one two three");
  return { words, streamed };
}

it("E6: stream while a reader of the run is there, and its definition does not refuse", async () => {
  const followed = await wordsFor({});
  expect(followed.words).toBe("one two three");
  expect(followed.streamed.at(-1)).toBe(true);
  const plain = { words: "", streamed: [false, false] };
  expect(await wordsFor({}, { stream: false })).toEqual(plain);
  expect(await wordsFor({ words: "none" })).toEqual(plain);
  expect(await wordsFor({ words: "receive" })).toEqual(plain);
  expect(await wordsFor({ types: ["task_completed"] })).toEqual(plain);
  expect((await wordsFor({ words: "receive" }, { stream: true })).words).toBe("one two three");
  expect((await wordsFor({ words: "none" }, { stream: true })).words).toBe("");
});

it("E6: a run without a reader sends plain requests, and has the same record", async () => {
  const unread = talking();
  const run = unread.crew.start();
  await run.output();
  expect(unread.streamed).toEqual([false, false]);
  const read = talking();
  const followed = read.crew.start();
  for await (const _ of followed.events()) void _;
  const recordOf = async (each: typeof run) =>
    (await (each as unknown as LocalRun).export()).steps.map(({ key, kind, value, attempt }) => ({
      key,
      kind,
      attempt,
      ...(kind === "model" ? { value } : undefined),
    }));
  expect(read.streamed.at(-1)).toBe(true);
  expect(await recordOf(followed)).toEqual(await recordOf(run));
});

it("E6: a listener that names chunks requests words, and one of all events does not", async () => {
  const streamedFor = async (listeners: Listeners) => {
    const { crew, streamed } = talking();
    await crew.start({ listeners }).output();
    return streamed;
  };
  const chunks: string[] = [];
  expect(
    await streamedFor([onEvent("llm_stream_chunk", ({ chunk }) => void chunks.push(chunk))]),
  ).toEqual([true, true]);
  expect(chunks.join("")).toBe("one two three");
  expect(await streamedFor([onEvent("*", () => undefined)])).toEqual([false, false]);
});

it("a start with a token for a page streams from its first call on", async () => {
  const streams = async (json: object): Promise<boolean> => {
    const world = accessWorld({ script: () => "A fine answer" });
    const { key } = await keyOf(world);
    await world.ask("/crews/greeting/kickoff", { key, json });
    await world.clock.settle();
    const { text } = await world.ask("/runs/run/events?types=llm_call_started", {
      key,
      headers: { accept: "application/json" },
    });
    return text.includes('"stream":true');
  };
  expect(await streams({ id: "run" })).toBe(false);
  expect(await streams({ id: "run", token: {} })).toBe(true);
  expect(await streams({ id: "run", token: { scopes: ["cancel"] } })).toBe(false);
  expect(await streams({ id: "run", token: {}, stream: false })).toBe(false);
});
