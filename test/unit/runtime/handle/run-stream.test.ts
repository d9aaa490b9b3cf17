import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { frames } from "../../../../src/runtime/handle/frame-session.ts";
import { chunksOf, type StreamChunk } from "../../../../src/runtime/handle/run-stream.ts";
import { channelOf } from "../../../../src/events/stream-frame.ts";
import { fallbackModel } from "../../../../src/llm/fallback-model.ts";
import type { RunHandle } from "../../../../src/runtime/handle/run-handle.ts";
import type { LanguageModel } from "../../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  disturbed,
  randomEvents,
  seededRandom,
  type AnyEvent,
} from "../../../support/random-events.ts";
import { calling, scriptedAgent, soloCrew, taskFor } from "../../../support/crew-harness.ts";

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const endless = tool({
  name: "endless",
  description: "Never ends.",
  input: z.object({}),
  run: (_, { signal }) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("aborted"))),
    ),
});

describe("a crew's stream", () => {
  const duo = (): Crew => {
    const first = scriptedAgent(["one two three"], { role: "Scout" }).agent;
    const second = scriptedAgent(["four five"], { role: "Writer" }).agent;
    return new Crew({
      tasks: [taskFor(first, { name: "find" }), taskFor(second, { name: "write" })],
    });
  };

  it("ST1: gives the models' words with their task and agent, and then the result", async () => {
    const stream = duo().stream();
    const chunks = await all(stream);
    expect(stream.getFullText()).toBe("one two threefour five");
    const of = (taskName: string): StreamChunk[] =>
      chunks.filter((chunk) => chunk.taskName === taskName);
    expect(of("find").length).toBeGreaterThan(1);
    expect(of("find")[0]).toMatchObject({
      chunkType: "text",
      taskIndex: 0,
      taskId: "task:find",
      agentRole: "Scout",
      toolCall: null,
    });
    expect(of("write").at(-1)).toMatchObject({
      taskIndex: 1,
      taskId: "task:write",
      agentRole: "Writer",
    });
    expect(stream.result.raw).toBe("four five");
    expect(stream.result.tasks).toHaveLength(2);
    expect([stream.isCompleted, stream.isCancelled]).toEqual([true, false]);
    expect(await all(stream)).toEqual(stream.chunks);
  });

  it("ST3: has no result before its end", async () => {
    const stream = duo().stream();
    expect(() => stream.result).toThrow(/no result yet/);
    for await (const _ of stream) {
      expect(() => stream.result).toThrow(EngineError);
      break;
    }
    expect(stream.isCompleted).toBe(false);
    await all(stream);
    expect(stream.result.raw).toBe("four five");
  });

  it("starts the run when it is first read, once", async () => {
    const { agent, model } = scriptedAgent(["done"]);
    const stream = soloCrew(agent).stream();
    await new Promise<void>((resolve) => setTimeout(resolve, 10));
    expect(model.calls).toHaveLength(0);
    await Promise.all([all(stream), all(stream)]);
    expect(model.calls).toHaveLength(1);
  });

  it("throws the run's error to the reader, and again as the result", async () => {
    const { agent } = scriptedAgent([{ error: new EngineError("model_unauthorized", "no key") }]);
    const stream = soloCrew(agent).stream();
    await expect(all(stream)).rejects.toThrow("no key");
    expect(() => stream.result).toThrow("no key");
    await stream.close();
    expect(stream.isCancelled).toBe(false);
  });

  it("cancels the run when it is closed, once", async () => {
    const talking = new Crew({
      tasks: [
        taskFor(scriptedAgent(["hello there"]).agent, { name: "talk" }),
        taskFor(scriptedAgent([calling("endless")], { tools: [endless] }).agent, { name: "hang" }),
      ],
    });
    const stream = talking.stream();
    for await (const { chunkType } of stream) if (chunkType === "tool_call") break;
    await stream.close();
    await stream.close();
    expect((await stream.handle.status()).status).toBe("cancelled");
    expect([stream.isCompleted, stream.isCancelled]).toEqual([false, true]);
    expect(() => stream.result).toThrow(/closed before its end/);
    expect((await all(stream)).length).toBeGreaterThan(0);
  });

  it("ignores a close after its end", async () => {
    const stream = duo().stream();
    await all(stream);
    await stream.close();
    expect([stream.isCompleted, stream.isCancelled]).toEqual([true, false]);
  });

  it("ST2: yields unstreamed calls as one chunk, tool calls with their arguments", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.string() }),
      run: () => "seen",
    });
    const { agent } = scriptedAgent([calling("look", { at: "sky" }), "done"], { tools: [look] });
    const run = soloCrew(agent).start();
    await run.output();
    const stream = chunksOf(run);
    const chunks = await all(stream);
    expect(chunks.map(({ chunkType, content }) => [chunkType, content])).toEqual([
      ["tool_call", ""],
      ["text", "done"],
    ]);
    expect(chunks[0]?.toolCall).toMatchObject({ toolName: "look", index: 0 });
    expect(JSON.parse(chunks[0]?.toolCall?.arguments ?? "")).toEqual({ at: "sky" });
    expect(stream.result).toMatchObject({ raw: "done" });
  });

  /** Says some words, and fails at its first call. */
  const cutShort = (words: string, failure = "the stream broke off"): LanguageModel => {
    const model = scriptedModel(["one two three"]);
    let calls = 0;
    return {
      ...model,
      generate: async (request, options) => {
        if (calls++ > 0) return model.generate(request, options);
        options.onThinking?.("hm");
        options.onDelta?.(words);
        throw new EngineError("model_failed", failure, { retryable: true });
      },
    };
  };

  const voided = (chunks: readonly StreamChunk[]): string =>
    chunks.reduce((text, { reset, content }) => (reset ? content : text + content), "");

  it.each([
    ["is tried again", () => cutShort("one two ")],
    ["is tried again and says something else", () => cutShort("eins zwei ")],
    [
      "goes on with the next model of a chain",
      () => fallbackModel([cutShort("uno "), scriptedModel(["one two three"])]),
    ],
  ])(
    "ST4: has exactly the final text when a call %s",
    async (_, llm) => {
      for (const open of [(crew: Crew) => crew.stream(), (crew: Crew) => chunksOf(crew.start())]) {
        const { agent } = scriptedAgent([], { llm: llm(), stream: true });
        const stream = open(soloCrew(agent));
        const chunks = await all(stream);
        expect(stream.getFullText()).toBe("one two three");
        expect(voided(chunks)).toBe("one two three");
        expect(chunks.filter(({ reset }) => reset)).toHaveLength(1);
        expect(stream.result).toMatchObject({ raw: "one two three" });
      }
    },
    30_000,
  );

  it("ST4: has exactly the answers of all calls when chunks change places, come twice or not at all, in 1,000 runs", async () => {
    for (let seed = 0; seed < 1_000; seed++) {
      const random = seededRandom(seed);
      const events = randomEvents(random);
      const answers = events.flatMap((event) =>
        event.type === "llm_call_completed" ? [[event.callId, event.response]] : [],
      );
      async function* heard(): AsyncGenerator<AnyEvent> {
        yield* disturbed(events, random);
      }
      const handle = { events: heard, output: async () => null } as unknown as RunHandle;
      const chunks = await all(chunksOf(handle));
      const said = new Map<string, string>();
      for (const { callId, content, reset } of chunks)
        said.set(callId, (reset ? "" : (said.get(callId) ?? "")) + content);
      const spoken = answers.map(([callId = ""]) => [callId, said.get(callId) ?? ""]);
      expect([seed, spoken]).toEqual([seed, answers]);
    }
  });

  it("ST4: keeps no text of a call that failed for good", async () => {
    const broken: LanguageModel = {
      ...scriptedModel([]),
      generate: async (_request, options) => {
        options.onDelta?.("one ");
        throw new EngineError("model_unauthorized", "no key");
      },
    };
    const { agent } = scriptedAgent([], { llm: broken, stream: true });
    const stream = soloCrew(agent).stream();
    await expect(all(stream)).rejects.toThrow("no key");
    expect(stream.getFullText()).toBe("");
  });

  it("does not mix with another stream of the same crew", async () => {
    const { agent } = scriptedAgent(
      ({ messages }) => `about ${messages.at(-1)?.content.split("\n")[0]}`,
    );
    const crew = soloCrew(agent, { description: "{topic}" });
    const streams = ["tea", "ink"].map((topic) => crew.stream({ inputs: { topic } }));
    await Promise.all(streams.map(all));
    expect(streams.map((stream) => stream.getFullText())).toEqual(["about tea", "about ink"]);
  });
});

describe("frames", () => {
  it("are sorted into channels by their type", () => {
    const channels = {
      llm_call_started: "llm",
      llm_call_failed: "llm",
      llm_stream_chunk: "llm",
      llm_thinking_chunk: "llm",
      conversation_message_added: "messages",
      conversation_turn_failed: "flow",
      flow_failed: "flow",
      method_execution_started: "flow",
      human_feedback_requested: "flow",
      tool_usage_error: "tools",
      tool_execution_error: "tools",
      task_failed: "lifecycle",
      agent_execution_error: "lifecycle",
      llm_guardrail_failed: "lifecycle",
      task_completed: "custom",
      crew_kickoff_started: "custom",
    };
    expect(
      Object.fromEntries(Object.keys(channels).map((type) => [type, channelOf(type)])),
    ).toEqual(channels);
  });

  it("write every event with its origin, again and again", async () => {
    const { agent } = scriptedAgent(["one two"], { role: "Scout", stream: true });
    const run = soloCrew(agent).start();
    const session = frames(run);
    const list = await all(session);
    const kept = list.filter(({ seq }) => seq !== null);
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1));
    expect(list.find(({ type }) => type === "llm_call_completed")).toMatchObject({
      channel: "llm",
      namespace: ["llm", "task:work/turn:1/llm", "Scout", "work"],
      parentId: "task:work:agent_execution_started",
      previousId: "task:work/turn:1/llm:llm_call_started",
      data: { response: "one two", finishReason: "stop" },
    });
    expect(list.find(({ type }) => type === "llm_stream_chunk")).toMatchObject({ seq: null });
    expect(list[0]).toMatchObject({ type: "run_started", channel: "custom", seq: 1 });
    expect(list[0]).not.toHaveProperty("previousId");
    expect(Object.keys(list[0]?.data ?? {})).toEqual(["kind", "name", "inputs"]);
    expect(await all(session)).toEqual(list);
    expect(await all(session.llm)).toEqual(list.filter(({ channel }) => channel === "llm"));
    expect(await all(frames(run, { channels: ["tools"] }))).toEqual([]);
  });
});
