import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { arrayOf, askingScript } from "../../../support/http-app.ts";
import { OpenAiWorld, WEATHER } from "../../../support/openai-world.ts";

type Event = OpenAI.Responses.ResponseStreamEvent;

const { name, description, parameters } = WEATHER.function;
const TOOL = { type: "function", name, description, parameters, strict: false } as const;

/** Calls the client's tool once, and says what it gave. */
const weather = new OpenAiWorld({
  script: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `It is ${last.content}.`;
    return { toolCalls: [{ name, arguments: { city: "Bonn" } }] };
  },
});

/** The number of the event before the first character. */
const FIRST_TEXT = 3;

function wordsOf(events: readonly Event[]): string {
  return events
    .map((event) => (event.type === "response.output_text.delta" ? event.delta : ""))
    .join("");
}

describe("a response", () => {
  it("has the answer as a message, and is found again", async () => {
    const world = new OpenAiWorld({ script: () => "Four." });
    const response = await world.sdk.responses.create({
      model: "agent/clerk",
      instructions: "Be exact.",
      input: "Two and two?",
      metadata: { ticket: "7" },
    });
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model: "agent/clerk",
      output_text: "Four.",
      instructions: "Be exact.",
      metadata: { ticket: "7" },
      error: null,
    });
    expect(await world.sdk.responses.retrieve(response.id)).toEqual(response);
    const asked = world.model.calls[0]?.request.messages.map(({ content }) => content);
    expect(asked).toContain("Be exact.");
    const items = await arrayOf(await world.sdk.responses.inputItems.list(response.id));
    expect(items).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Two and two?" }] },
    ]);
  });

  it("continues the response before it, on every branch with its own history", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) => `heard ${messages.filter(({ role }) => role === "user").length}`,
    });
    const ask = (input: string, previous?: string) =>
      world.sdk.responses.create({
        model: "agent/clerk",
        input,
        previous_response_id: previous ?? null,
      });
    const one = await ask("one");
    const two = await ask("two", one.id);
    const three = await ask("three", two.id);
    const other = await ask("other", one.id);
    expect([one, two, three, other].map(({ output_text: text }) => text)).toEqual([
      "heard 1",
      "heard 2",
      "heard 3",
      "heard 2",
    ]);
    const last = world.model.calls.at(-1)?.request.messages.map(({ content }) => content);
    expect(last).toContain("heard 1");
    expect(last?.join()).not.toContain("two");
  });

  it("keeps the history of a conversation", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) => `heard ${messages.filter(({ role }) => role === "user").length}`,
    });
    const conversation = await world.sdk.conversations.create();
    const ask = (input: string) =>
      world.sdk.responses.create({ model: "agent/clerk", input, conversation: conversation.id });
    expect((await ask("one")).output_text).toBe("heard 1");
    expect((await ask("two")).output_text).toBe("heard 2");
  });

  it("has the model's thoughts as an item, and keeps them", async () => {
    const world = new OpenAiWorld({ script: () => ({ thinking: "Hm, so", text: "One two." }) });
    const response = await world.sdk.responses.create({ model: "agent/clerk", input: "Count" });
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm, so" }] },
      { type: "message" },
    ]);
    expect(await world.sdk.responses.retrieve(response.id)).toEqual(response);
  });

  it("streams the whole sequence of events", async () => {
    const world = new OpenAiWorld({ script: () => ({ thinking: "Hm, so", text: "One two." }) });
    const events = await arrayOf<Event>(
      await world.sdk.responses.create({ model: "agent/clerk", input: "Count", stream: true }),
    );
    expect([...new Set(events.map(({ type }) => type))]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.completed",
    ]);
    const numbers = events.map(({ sequence_number: number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
    expect(last.response.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    const stream = world.sdk.responses.stream({ model: "agent/clerk", input: "Count" });
    expect((await stream.finalResponse()).output_text).toBe("One two.");
  });

  it("OV1: streams on from any event, with each character once", async () => {
    const world = new OpenAiWorld({ script: () => "One two three four." });
    const stream = await world.sdk.responses.create({
      model: "agent/clerk",
      input: "Count",
      background: true,
      stream: true,
    });
    const events = await arrayOf<Event>(stream);
    const first = events[0] as OpenAI.Responses.ResponseCreatedEvent;
    const text = "One two three four.";
    for (const after of [...events.map(({ sequence_number: number }) => number), 6, 9]) {
      const options = { stream: true, starting_after: after } as const;
      const rest = await arrayOf<Event>(
        await world.sdk.responses.retrieve(first.response.id, options),
      );
      const known = Math.max(0, after - FIRST_TEXT);
      expect(wordsOf(rest)).toBe(text.slice(known));
      expect(rest.map(({ sequence_number: number }) => number)).toEqual(
        rest.map(({ sequence_number: number }) => Math.max(after + 1, number)),
      );
    }
    expect(wordsOf(events)).toBe(text);
  });

  it("has the client's tools called, and continues the run with their results", async () => {
    const first = await weather.sdk.responses.create({
      model: "agent/clerk",
      input: "Weather?",
      tools: [TOOL],
    });
    expect(first).toMatchObject({
      status: "completed",
      output: [{ type: "function_call", name, arguments: '{"city":"Bonn"}', status: "completed" }],
    });
    const call = first.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
    const result = {
      type: "function_call_output",
      call_id: call.call_id,
      output: "sunny",
    } as const;
    const request = { model: "agent/clerk", previous_response_id: first.id, input: [result] };
    const second = await weather.sdk.responses.create(request);
    expect(second).toMatchObject({ output_text: "It is sunny.", previous_response_id: first.id });
    expect(second.id).not.toBe(first.id);
    const calls = weather.model.calls.length;
    expect(await weather.sdk.responses.create(request)).toEqual(second);
    expect(weather.model.calls).toHaveLength(calls);
    expect(await weather.sdk.responses.retrieve(first.id)).toEqual(first);
    const events = await arrayOf<Event>(
      await weather.sdk.responses.create({
        model: "agent/clerk",
        input: "Weather?",
        tools: [TOOL],
        stream: true,
      }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("needs the results of open calls before any other input", async () => {
    const first = await weather.sdk.responses.create({
      model: "agent/clerk",
      input: "Weather?",
      tools: [TOOL],
    });
    await expect(
      weather.sdk.responses.create({
        model: "agent/clerk",
        input: "Well?",
        previous_response_id: first.id,
      }),
    ).rejects.toMatchObject({ status: 400, param: "input" });
  });

  it("OT4: asks its run's question, and the next message answers it once", async () => {
    const world = new OpenAiWorld({ script: askingScript("Which one?") });
    const first = await world.sdk.responses.create({ model: "agent/analyst", input: "Begin" });
    expect(first).toMatchObject({
      status: "completed",
      output_text: expect.stringMatching(/^Which one\?\n\n\(Question [0-9a-f]{12}\)$/),
    });
    const answer = (input: string) =>
      world.sdk.responses.create({
        model: "agent/analyst",
        input,
        previous_response_id: first.id,
      });
    const [one, other] = await Promise.allSettled([answer("the red"), answer("the blue")]);
    expect(one).toMatchObject({ value: { output_text: expect.stringContaining("the red") } });
    expect(other).toMatchObject({ reason: { status: 409 } });
    const again = await answer("the red");
    expect(again.id).toBe(one.status === "fulfilled" && one.value.id);
    expect((await world.runs.list({ tenant: "default", limit: 10 })).items).toHaveLength(1);
  });

  it("OT4: recognises an answer in a conversation by its Idempotency-Key, and refuses to choose a question", async () => {
    const world = new OpenAiWorld({
      script: ({ messages }) => {
        const told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
        if (told.length > 1) return `Final: ${told.join(" & ")}`;
        return { toolCalls: [{ name: "ask", arguments: { question: `No. ${told.length}?` } }] };
      },
    });
    const { id: conversation } = await world.sdk.conversations.create();
    const say = (input: string, idempotencyKey: string) =>
      world.sdk.responses.create(
        { model: "agent/analyst", input, conversation },
        { headers: { "idempotency-key": idempotencyKey } },
      );
    await say("Begin", "a");
    const second = await say("one", "b");
    expect(second.output_text).toContain("No. 1?");
    expect((await say("one", "b")).id).toBe(second.id);
    await expect(say("two", "b")).rejects.toMatchObject({ status: 409 });
    const last = await say("two", "c");
    expect(last.output_text).toMatch(/^Final: .*one.* & .*two/);
    expect((await say("one", "b")).id).toBe(second.id);
  });

  it("streams the words of a background run to a client that comes later", async () => {
    const world = new OpenAiWorld({ script: () => ({ text: "One two three.", delayMs: 1_000 }) });
    const { id } = await world.sdk.responses.create({
      model: "agent/clerk",
      input: "Count",
      background: true,
    });
    const coming = world.sdk.responses.retrieve(id, { stream: true }).then(arrayOf<Event>);
    for (let seconds = 0; seconds < 5; seconds++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      await world.clock.advance(500);
    }
    const words = (await coming).filter(({ type }) => type === "response.output_text.delta");
    expect(words.length).toBeGreaterThan(1);
  });

  it("marks a permanent failure in a stream, so that no SDK repeats it", async () => {
    for (const retryable of [true, false]) {
      const error = new EngineError(retryable ? "model_failed" : "model_rejected", "no", {
        retryable,
      });
      const world = new OpenAiWorld({ script: () => ({ error }) });
      const { id } = await world.sdk.responses.create({
        model: "agent/clerk",
        input: "Count",
        background: true,
      });
      const events = world.sdk.responses.retrieve(id, { stream: true }).then(arrayOf<Event>);
      const state = { isDone: false };
      void events.finally(() => (state.isDone = true));
      while (!state.isDone) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        await world.clock.advance(60_000);
      }
      expect((await events).at(-1)).toMatchObject({
        type: "response.failed",
        response: { error: { code: retryable ? "server_error" : "invalid_prompt" } },
      });
    }
  });

  it("runs in the background until it is polled or cancelled", async () => {
    const world = new OpenAiWorld({
      script: () => ({ text: "Late", delayMs: 60_000 }),
    });
    const ask = () =>
      world.sdk.responses.create({ model: "agent/clerk", input: "Take time", background: true });
    const begun = await ask();
    expect(["queued", "in_progress"]).toContain(begun.status);
    await world.clock.settle();
    expect((await world.sdk.responses.retrieve(begun.id)).status).toBe("in_progress");
    await world.clock.advance(61_000);
    expect(await world.sdk.responses.retrieve(begun.id)).toMatchObject({
      status: "completed",
      output_text: "Late",
      background: true,
    });
    const second = await ask();
    await world.clock.settle();
    expect((await world.sdk.responses.cancel(second.id)).status).toBe("cancelled");
    expect((await world.sdk.responses.retrieve(second.id)).status).toBe("cancelled");
  });

  it("OY1: is not found once it is deleted, or when it was not to be stored", async () => {
    const world = new OpenAiWorld({ script: () => "Yes." });
    const kept = await world.sdk.responses.create({ model: "agent/clerk", input: "Kept?" });
    await world.sdk.responses.delete(kept.id);
    const unkept = await world.sdk.responses.create({
      model: "agent/clerk",
      input: "Kept?",
      store: false,
    });
    for (const id of [kept.id, unkept.id, "resp_none", "nonsense"])
      await expect(world.sdk.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(
      world.sdk.responses.create({
        model: "agent/clerk",
        input: "And?",
        previous_response_id: kept.id,
      }),
    ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });

  it("reads a conversation of items, also of references", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    const first = await world.sdk.responses.create({ model: "agent/clerk", input: "How?" });
    await world.sdk.responses.create({
      model: "agent/clerk",
      input: [
        { role: "user", content: "How?" },
        { type: "item_reference", id: first.output[0]?.id ?? "" },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "rain" },
        { role: "user", content: [{ type: "input_text", text: "And now?" }] },
      ],
    });
    const asked = world.model.calls
      .at(-1)
      ?.request.messages.map(({ content }) => content)
      .join("|");
    expect(asked).toContain("How?|Fine.|(Used the tool look with {}. It answered: rain)");
    expect(asked).toContain("And now?");
  });

  it("has the form in text.format", async () => {
    const world = new OpenAiWorld({ script: () => 'So: {"sum": 4}' });
    const response = await world.sdk.responses.create({
      model: "agent/clerk",
      input: "Two and two?",
      text: {
        format: {
          type: "json_schema",
          name: "answer",
          schema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
        },
      },
    });
    expect(response.output_text).toBe('{"sum":4}');
  });

  it("fails with the error of its run", async () => {
    const world = new OpenAiWorld({
      script: () => {
        throw new Error("no such luck");
      },
    });
    const asked = { model: "agent/clerk", input: "Go" };
    await expect(world.sdk.responses.create(asked)).rejects.toMatchObject({ status: 400 });
    const begun = await world.sdk.responses.create({ ...asked, background: true });
    await world.clock.settle();
    const response = await world.sdk.responses.retrieve(begun.id);
    expect(response).toMatchObject({ status: "failed", error: { code: "invalid_prompt" } });
    const events = await arrayOf<Event>(
      await world.sdk.responses.create({ model: "agent/clerk", input: "Go", stream: true }),
    );
    expect(events.at(-1)?.type).toBe("response.failed");
  });
});
