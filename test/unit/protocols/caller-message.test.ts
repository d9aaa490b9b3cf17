import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { answerFor, startFor } from "../../../src/protocols/caller-message.ts";
import type { ExposedSubject } from "../../../src/protocols/exposed-subject.ts";
import { Exposure, type Expose } from "../../../src/protocols/exposure.ts";
import type { Wait } from "../../../src/runtime/run.ts";
import { greeting, briefing, HttpWorld, review } from "../../support/http-app.ts";

const either = defineFlow({
  name: "either",
  state: z.object({ message: z.string().default(""), count: z.number().default(0) }),
  methods: { go: { start: true, run: ({ state }) => state.message } },
});
const free = defineFlow({ name: "free", methods: { go: { start: true, run: () => 1 } } });
const world = new HttpWorld({ crews: { briefing, greeting }, flows: { review, either, free } });

function exposed(key: string, options: Expose = { [key]: true }): Promise<ExposedSubject> {
  const [kind = "", name = ""] = key.split("/");
  return new Exposure(options, world.services).findOwn("default", { kind, name });
}

const said = (content: string) => [{ role: "user", content }] as const;

describe("CY1: inputs from a caller's message", () => {
  it.each([
    ["crew/briefing", "edge computing", undefined, { topic: "edge computing" }],
    ["crew/briefing", "", { topic: "t" }, { topic: "t" }],
    ["crew/briefing", "words", { topic: "t" }, { topic: "t" }],
    ["crew/briefing", '{"topic":"from JSON"}', undefined, { topic: "from JSON" }],
    ["crew/briefing", '{"topic":"text"}', { topic: "data" }, { topic: "data" }],
    ["crew/briefing", '{"other":1}', undefined, { topic: '{"other":1}' }],
    ["crew/briefing", "{not json", undefined, { topic: "{not json" }],
    ["crew/greeting", "hello", undefined, {}],
    ["flow/review", "ships", undefined, { topic: "ships" }],
    ["flow/either", "hello", undefined, { message: "hello" }],
    ["flow/either", '{"count":3}', undefined, { count: 3 }],
    ["flow/free", '{"a":1}', undefined, { a: 1 }],
    ["flow/free", "words", undefined, {}],
  ])("%s: %j with %j", async (...[key, text, data, inputs]) => {
    const messages = text === "" ? [] : said(text);
    const start = startFor(await exposed(key), { messages, ...(data && { data }) });
    expect(start.inputs).toEqual(inputs);
  });

  it("an agent gets the conversation", async () => {
    const history = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ] as const;
    const start = startFor(await exposed("agent/writer"), { messages: [...history, ...said("c")] });
    expect(start).toMatchObject({
      kind: "agent",
      inputs: { messages: [...history, { role: "user", content: "c" }] },
    });
  });

  it("an agent gets data without text as JSON", async () => {
    const start = startFor(await exposed("agent/writer"), { messages: [], data: { a: 1 } });
    expect(start.inputs["messages"]).toEqual([{ role: "user", content: '{"a":1}' }]);
  });

  it("names several missing inputs", async () => {
    const two = defineFlow({
      name: "two",
      state: z.object({ a: z.string(), b: z.string() }),
      methods: { go: { start: true, run: () => 1 } },
    });
    const other = new HttpWorld({ flows: { two } });
    const found = await new Exposure("all", other.services).find("default", "two");
    expect(() => startFor(found, { messages: said("hello") })).toThrow(
      "missing inputs: a, b; send them as data, or as a JSON object in the text",
    );
    expect(startFor(found, { messages: said("x"), data: { a: "1" } }).inputs).toEqual({
      a: "1",
      b: "x",
    });
  });

  it("the app's options choose the inputs for the text and for the history", async () => {
    const options = { "flow/either": { input: "message", history: "past" } };
    const messages = [
      ...said("one"),
      { role: "assistant", content: "two" } as const,
      ...said("three"),
    ];
    const start = startFor(await exposed("flow/either", options), { messages });
    expect(start.inputs).toEqual({ message: "three", past: "user: one\nassistant: two" });
  });
});

describe("CY2: a caller's answer to a wait", () => {
  const human: Wait = { key: "k", kind: "human", prompt: "Good?" };
  const approval: Wait = { ...human, data: { tool: "pay", arguments: {} } };
  const choice: Wait = { key: "k", kind: "human", choices: ["Yes", "Not now"] };
  const shaped: Wait = { key: "k", kind: "input", schema: { type: "object" } };
  const input: Wait = { key: "k", kind: "input" };

  it.each([
    [human, "looks fine", undefined, { feedback: "looks fine" }],
    [human, "yes please", undefined, { feedback: "yes please", approve: true }],
    [human, "No, shorter", undefined, { feedback: "No, shorter", approve: false }],
    [human, "nothing to add", undefined, { feedback: "nothing to add" }],
    [human, "", { approve: false, feedback: "too long" }, { approve: false, feedback: "too long" }],
    [human, "", { tone: "warm" }, { feedback: "", value: { tone: "warm" } }],
    [approval, "go ahead", undefined, { feedback: "go ahead", approve: true }],
    [approval, "why?", undefined, { feedback: "why?", approve: false }],
    [approval, "", true, { feedback: "", approve: true }],
    [choice, "NOT NOW", undefined, { value: "Not now" }],
    [choice, "Ｎｏｔ　ｎｏｗ", undefined, { value: "Not now" }],
    [choice, "maybe", undefined, { value: "maybe" }],
    [choice, "", "yes", { value: "Yes" }],
    [shaped, '{"a":1}', undefined, { value: { a: 1 } }],
    [shaped, "", { a: 2 }, { value: { a: 2 } }],
    [shaped, "words", undefined, { value: "words" }],
    [input, "42", undefined, { value: "42" }],
    [input, "", 42, { value: 42 }],
  ])("%j: %j with %j", (...[wait, text, data, answer]) => {
    expect(answerFor(wait, { text, data })).toEqual({ key: "k", ...answer });
  });
});
