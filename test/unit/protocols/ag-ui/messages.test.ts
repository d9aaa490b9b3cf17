import { expect, it } from "vitest";
import { runAgentInput, type RunInput } from "../../../../src/protocols/ag-ui/schema.ts";
import { inputsIn, saidIn } from "../../../../src/protocols/ag-ui/messages.ts";
import { patchBetween } from "../../../../src/protocols/ag-ui/json-patch.ts";
import type { JsonValue } from "../../../../src/base/json.ts";
import jsonPatch from "fast-json-patch";

const input = (change: object): RunInput =>
  runAgentInput.parse({ threadId: "t", runId: "r", messages: [], ...change });

it("UY1: instructions and context come first, then the conversation, then the question", () => {
  const said = saidIn(
    input({
      messages: [
        { id: "1", role: "user", content: "One" },
        { id: "2", role: "developer", content: "Be kind" },
        { id: "3", role: "assistant", content: "Two" },
        { id: "4", role: "assistant", toolCalls: [] },
        { id: "5", role: "activity", activityType: "x", content: {} },
        { id: "6", role: "reasoning", content: "hm" },
        { id: "7", role: "user", content: "Three" },
      ],
      context: [{ description: "Page", value: "/home" }],
    }),
  );
  expect(said.instructions).toEqual([
    "Be kind",
    "What the application tells you about the situation:\n- Page: /home",
  ]);
  expect(said.history).toEqual([
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
  ]);
  expect(said.messages).toEqual([{ id: "7", role: "user", content: "Three" }]);
});

it("UY2: images and documents come along, as data and as URLs", () => {
  const parts = [
    { type: "text", text: "Look" },
    { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" } },
    {
      type: "document",
      source: { type: "url", value: "https://a.test/a.pdf", mimeType: "application/pdf" },
    },
  ];
  const { messages } = saidIn(input({ messages: [{ id: "1", role: "user", content: parts }] }));
  expect(messages[0]?.content).toEqual([
    { type: "text", text: "Look" },
    { type: "image", data: "AAAA", mediaType: "image/png" },
    { type: "file", url: "https://a.test/a.pdf", mediaType: "application/pdf" },
  ]);
});

it("UY2: refuses unsupported content with its place", () => {
  const content = [{ type: "video", source: { type: "url", value: "https://a.test/a" } }];
  expect(() => saidIn(input({ messages: [{ id: "1", role: "user", content }] }))).toThrow(
    "messages.0.content.0: video cannot be sent",
  );
});

it("inputs are the state's fields the subject takes, and those in forwardedProps", () => {
  const sent = input({ state: { a: 1, b: 2 }, forwardedProps: { inputs: { b: 3 } } });
  expect(inputsIn(sent, () => true)).toEqual({ a: 1, b: 3 });
  expect(inputsIn(sent, (name) => name === "a")).toEqual({ a: 1, b: 3 });
  expect(inputsIn(input({ state: { a: 1 } }), () => false)).toEqual({});
  expect(inputsIn(input({ state: [1] }), () => true)).toEqual({});
});

/** A small generator: the same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function randomJson(random: () => number, depth = 0): JsonValue {
  const kind = Math.floor(random() * (depth > 3 ? 4 : 6));
  if (kind === 0) return null;
  if (kind === 1) return Math.floor(random() * 4);
  if (kind === 2) return random() < 0.5;
  if (kind === 3) return ["", "a", "~b", "c/d"][Math.floor(random() * 4)] ?? "";
  const items = Array.from({ length: Math.floor(random() * 4) }, () =>
    randomJson(random, depth + 1),
  );
  if (kind === 4) return items;
  const names = ["a", "b/c", "~", "", "__proto__x", "d"];
  return Object.fromEntries(
    items.map((item) => [names[Math.floor(random() * names.length)] ?? "a", item]),
  );
}

it("UP1: a patch turns one state into the other, for any two states", () => {
  const random = numbers(7);
  for (let round = 0; round < 3_000; round++) {
    const before = randomJson(random);
    const after = randomJson(random);
    const patch = structuredClone(patchBetween(before, after)) as never;
    const { newDocument } = jsonPatch.applyPatch(structuredClone(before), patch, true, false);
    expect(newDocument).toEqual(after);
  }
});
