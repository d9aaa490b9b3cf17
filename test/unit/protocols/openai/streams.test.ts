import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { arrayOf, textOf as keyText } from "../../../support/http-app.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { wait } from "../../../../src/index.ts";
import { OpenAiWorld, report, WEATHER } from "../../../support/openai-world.ts";

const messages = [{ role: "user", content: "Go" }] satisfies OpenAI.ChatCompletionMessageParam[];
const request = { model: "agent/clerk", messages };

async function onlyRun(world: OpenAiWorld) {
  const { items } = await world.runs.list({ tenant: "default", limit: 5 });
  expect(items).toHaveLength(1);
  return world.runs.get("default", items[0]?.id ?? "");
}

/** What a promise gives, while time passes. */
async function inTime<Value>({ clock }: OpenAiWorld, promise: Promise<Value>): Promise<Value> {
  const state = { isDone: false };
  const done = promise.finally(() => (state.isDone = true));
  while (!state.isDone) {
    await clock.advance(1_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return done;
}

const slow = () => ({ text: "Late", delayMs: 60_000 });

describe("a client that disconnects", () => {
  it("OQ2: cancels the run, streamed or not", async () => {
    for (const stream of [true, false]) {
      const world = new OpenAiWorld({ script: slow });
      const left = new AbortController();
      const asked = world.sdk.chat.completions.create(
        { ...request, stream },
        { signal: left.signal },
      );
      const read = asked.then(async (answer) => {
        if (Symbol.asyncIterator in answer) for await (const _ of answer) left.abort();
      });
      await world.clock.settle();
      left.abort();
      await read.catch(() => undefined);
      await world.clock.settle();
      await world.clock.advance(3_000);
      expect((await onlyRun(world)).status).toBe("cancelled");
    }
  });

  it("OQ2: may leave once it has its answer, while the run waits for it", async () => {
    const world = new OpenAiWorld({
      script: () => ({ toolCalls: [{ name: "get_weather", arguments: { city: "Bonn" } }] }),
    });
    const left = new AbortController();
    const asked = { ...request, tools: [WEATHER] };
    await world.sdk.chat.completions.create(asked, { signal: left.signal });
    left.abort();
    await world.clock.settle();
    expect((await onlyRun(world)).status).toBe("waiting");
  });

  it("OQ2: leaves a run going in the background, or with a key to find it again", async () => {
    const world = new OpenAiWorld({ script: slow });
    const left = new AbortController();
    const stream = await world.sdk.responses.create(
      { model: "agent/clerk", input: "Go", background: true, stream: true },
      { signal: left.signal },
    );
    for await (const _ of stream) break;
    left.abort();
    await inTime(world, world.runs.settled("default", (await onlyRun(world)).id, 120_000));
    expect((await onlyRun(world)).status).toBe("completed");
    const keyed = new OpenAiWorld({ script: slow });
    const options = { headers: { "Idempotency-Key": "k1" } };
    const gone = new AbortController();
    const asked = keyed.sdk.chat.completions.create(request, { ...options, signal: gone.signal });
    asked.catch(() => undefined);
    await keyed.clock.settle();
    gone.abort();
    const again = await inTime(keyed, keyed.sdk.chat.completions.create(request, options));
    expect(again.choices[0]?.message.content).toBe("Late");
    expect(keyed.model.calls).toHaveLength(1);
  });
});

describe("an Idempotency-Key", () => {
  it("OQ1: starts one run, and is a conflict for another body", async () => {
    const world = new OpenAiWorld({ script: () => "Once." });
    const ask = (content: string) =>
      world.sdk.chat.completions.create(
        { model: "agent/clerk", messages: [{ role: "user", content }] },
        { headers: { "Idempotency-Key": "a key with spaces" } },
      );
    const [one, two] = await Promise.all([ask("Go"), ask("Go")]);
    expect(two).toEqual(one);
    expect(await ask("Go")).toEqual(one);
    expect(world.model.calls).toHaveLength(1);
    await expect(ask("Other")).rejects.toMatchObject({ status: 409 });
  });
});

describe("streamed text", () => {
  async function streamed(world: OpenAiWorld, model = "agent/clerk"): Promise<string[]> {
    const stream = await world.sdk.chat.completions.create({ ...request, model, stream: true });
    const chunks = await arrayOf(stream);
    return chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
  }

  it("OW3: leaves out the agent's own form", async () => {
    const world = new OpenAiWorld({
      script: () => "Thought: I know it.\nFinal Answer: Blue is it.",
    });
    expect((await streamed(world)).join("")).toBe("Blue is it.");
  });

  it("OW3: has the agent's words before its tool calls, and the result after them", async () => {
    const world = new OpenAiWorld({
      script: ({ messages: said }) =>
        said.at(-1)?.role === "tool"
          ? "It is 8."
          : { text: "Let me see.", toolCalls: [{ name: "double", arguments: { number: 4 } }] },
    });
    expect((await streamed(world, "agent/analyst")).join("")).toBe("Let me see.\n\nIt is 8.");
  });

  it("OW1: is the result alone for a flow", async () => {
    const world = new OpenAiWorld();
    const stream = await world.sdk.chat.completions.create({
      model: "flow/review",
      messages: [{ role: "user", content: '{"topic":"tea"}' }],
      stream: true,
    });
    const chunks = await arrayOf(stream);
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta.content || [])).toHaveLength(1);
  });

  it("has the model's thoughts, in the field user interfaces read", async () => {
    const world = new OpenAiWorld({ script: () => ({ thinking: "Hm", text: "Yes." }) });
    const stream = await world.sdk.chat.completions.create({ ...request, stream: true });
    const thoughts = (await arrayOf(stream)).map(
      ({ choices }) =>
        (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "",
    );
    expect(thoughts.join("")).toBe("Hm");
  });

  it.each<[string, object]>([
    ["from its provider", { thinking: "Hm", text: "Yes." }],
    ["in tags of its text", { text: "<think>Hm</think>Yes." }],
  ])(
    "has the model's thoughts %s in whole answers, and of agents that do not stream",
    async (_, reply) => {
      const quiet = new Agent({ role: "C", goal: "g", backstory: "b", stream: false });
      const world = new OpenAiWorld({
        agents: { quiet },
        openai: { expose: "all" },
        script: () => reply,
      });
      const model = "agent/quiet";
      const whole = await world.sdk.chat.completions.create({ model, messages });
      expect(whole.choices[0]?.message).toMatchObject({ content: "Yes.", reasoning_content: "Hm" });
      const stream = await world.sdk.chat.completions.create({ model, messages, stream: true });
      const deltas = (await arrayOf(stream)).map(({ choices }) => choices[0]?.delta);
      expect(deltas).toContainEqual({ reasoning_content: "Hm" });
      expect(deltas).toContainEqual({ content: "Yes." });
    },
  );

  it("WI1: streams words of agents without a stream setting, and not of those with stream: false", async () => {
    const made = (stream?: boolean) =>
      new Agent({
        role: "C",
        goal: "g",
        backstory: "b",
        ...(stream === undefined ? {} : { stream }),
      });
    for (const [agent, isLive] of [
      [made(), true],
      [made(false), false],
    ] as const) {
      const world = new OpenAiWorld({ script: () => "One two three.", agents: { clerk: agent } });
      const chunks = await streamed(world);
      expect(chunks.join("")).toBe("One two three.");
      expect(chunks.length > 1).toBe(isLive);
    }
  });

  it("WI1: streams words of a crew's agents as well, unless the crew disables it", async () => {
    for (const [stream, isLive] of [
      [undefined, true],
      [false, false],
    ] as const) {
      const { tasks } = report;
      const crew = new Crew({ tasks, ...(stream === undefined ? {} : { stream }) });
      const world = new OpenAiWorld({ script: () => "One two three.", crews: { report: crew } });
      const chunks = await streamed(world, "crew/report");
      expect(chunks.join("")).toBe("One two three.");
      expect(chunks.length > 1).toBe(isLive);
    }
  });

  it("ends with the error of a failed run", async () => {
    const world = new OpenAiWorld({
      script: () => ({ error: new EngineError("model_rejected", "the model refuses") }),
    });
    await expect(streamed(world)).rejects.toMatchObject({
      message: expect.stringContaining("refuses"),
    });
    await expect(world.sdk.chat.completions.create(request)).rejects.toMatchObject({
      status: 400,
      code: "model_rejected",
    });
  });

  it("is kept alive during silence", async () => {
    const world = new OpenAiWorld({ script: slow });
    const response = await world.request("/v1/chat/completions", {
      json: { ...request, stream: true },
    });
    expect(
      (await inTime(world, response.text())).match(/: keep-alive/g)?.length,
    ).toBeGreaterThanOrEqual(3);
  });

  it("goes on when a run has waited for a timer", async () => {
    const sleeper = new Agent({ role: "S", goal: "g", backstory: "b", tools: [wait] });
    const world = new OpenAiWorld({
      agents: { clerk: sleeper },
      script: ({ messages: said }) =>
        said.at(-1)?.role === "tool"
          ? "Rested."
          : { toolCalls: [{ name: "wait", arguments: { seconds: 90 } }] },
    });
    expect((await inTime(world, streamed(world))).join("")).toBe("Rested.");
    const whole = await inTime(world, world.sdk.chat.completions.create(request));
    expect(whole.choices[0]?.message.content).toBe("Rested.");
  });

  it("WA3: has the whole of an answer cut at the model's limit", async () => {
    const script = ({ messages: said }: { readonly messages: readonly unknown[] }) =>
      said.length < 4 ? { text: "Too ", finishReason: "length" as const } : "long";
    const { choices } = await new OpenAiWorld({ script }).sdk.chat.completions.create(request);
    expect(choices[0]).toMatchObject({ message: { content: "Too long" }, finish_reason: "stop" });
    const world = new OpenAiWorld({ script });
    expect((await inTime(world, streamed(world))).join("")).toBe("Too long");
  });

  it("WA4: is an error when the limit cuts each piece of it", async () => {
    const world = new OpenAiWorld({ script: () => ({ text: "Too", finishReason: "length" }) });
    const failed = { status: 400, code: "answer_cut_off" };
    await expect(world.sdk.chat.completions.create(request)).rejects.toMatchObject(failed);
    await expect(
      world.sdk.responses.create({ model: "agent/clerk", input: "Go" }),
    ).rejects.toMatchObject(failed);
  });
});

describe("the form of an answer", () => {
  it("WI2: is JSON when the request asks for it, at once", async () => {
    const world = new OpenAiWorld({ script: () => 'Thus: {"sum": 4}' });
    const format = {
      type: "json_schema",
      json_schema: {
        name: "answer",
        schema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      },
    } as const;
    const whole = await world.sdk.chat.completions.parse({ ...request, response_format: format });
    expect(whole.choices[0]?.message.content).toBe('{"sum":4}');
    const stream = world.sdk.chat.completions.stream({ ...request, response_format: format });
    expect(await stream.finalContent()).toBe('{"sum":4}');
  });
});

describe("contents of a thread", () => {
  it("are limited: a large image is stored as words, and the run gets it whole", async () => {
    const world = new OpenAiWorld({
      script: () => "Seen.",
      limits: { maxBodyBytes: 8 * 1024 * 1024 },
    });
    const data = "A".repeat(3_000_000);
    const first = await world.sdk.responses.create({
      model: "agent/clerk",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Look" },
            { type: "input_image", image_url: `data:image/png;base64,${data}`, detail: "auto" },
          ],
        },
      ],
    });
    expect(JSON.stringify(world.model.calls[0]?.messages)).toContain(data);
    await world.sdk.responses.create({
      model: "agent/clerk",
      input: "Again?",
      previous_response_id: first.id,
    });
    const again = world.model.calls[1]?.request.messages.map(({ content }) => content).join("|");
    expect(again).toContain("[image of image/png, too large to store]");
    expect(again).toContain("Seen.");
  });

  it("is found by other keys of the tenant, and by no other tenant", async () => {
    const world = new OpenAiWorld({ auth: { mode: "keys", adminKey: "boss" } });
    const keyOf = async (tenant: string): Promise<string> => {
      const json = { tenant, scopes: ["run", "read"] };
      return keyText((await world.ask("/keys", { key: "boss", json })).json["key"]);
    };
    const [ann, bob] = [world.client(await keyOf("ann")), world.client(await keyOf("bob"))];
    const response = await ann.responses.create({ model: "agent/clerk", input: "Mine" });
    const colleague = world.client(await keyOf("ann"));
    expect((await colleague.responses.retrieve(response.id)).id).toBe(response.id);
    for (const refused of [
      () => bob.responses.retrieve(response.id),
      () => bob.responses.cancel(response.id),
      () => bob.responses.delete(response.id),
      () => bob.responses.inputItems.list(response.id),
    ])
      await expect(refused()).rejects.toMatchObject({ status: 404 });
    const next = { model: "agent/clerk", input: "Go on", previous_response_id: response.id };
    await expect(bob.responses.create(next)).rejects.toMatchObject({ status: 400 });
    const shared = { model: "agent/clerk", input: "Hi", conversation: "c" };
    await ann.responses.create(shared);
    await bob.responses.create(shared);
    const asked = world.model.calls.at(-1)?.request.messages.filter(({ role }) => role === "user");
    expect(asked).toHaveLength(1);
  });
});
