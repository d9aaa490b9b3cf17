import { describe, expect, it } from "vitest";
import { StoppedText } from "../../../world/real-model/server/engine.ts";
import { callGrammar, schemaGrammar } from "../../../world/real-model/server/grammar.ts";
import { promptOf } from "../../../world/real-model/server/prompt.ts";
import { callIn, readChatRequest } from "../../../world/real-model/server/wire.ts";

const TOOL = {
  type: "function",
  function: {
    name: "stock",
    description: "Counts.",
    parameters: { type: "object", properties: { item: { type: "string" } } },
  },
};
const ask = (more: object, mood: "eager" | "free" = "free") =>
  readChatRequest({ messages: [{ role: "user", content: "hi" }], ...more }, mood);

describe("grammars", () => {
  it("hold every property of an object in its order, and lists to their limits", () => {
    const grammar = schemaGrammar({
      type: "object",
      properties: {
        mood: { enum: ["good", "bad"] },
        words: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
      },
    });
    expect(grammar.split("\n")[0]).toBe(
      String.raw`root ::= "{" "\"mood\":" ( "\"good\"" | "\"bad\"" ) "," "\"words\":" "[" string ( "," string ){1,1} "]" "}"`,
    );
  });

  it("follow references, also of a schema to itself", () => {
    const grammar = schemaGrammar({
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
        },
      },
    });
    expect(grammar).toContain(String.raw`rule0 ::= "{" "\"next\":" ( rule0 | "null" ) "}"`);
  });

  it("leave words open when a call is free, and not when it is forced", () => {
    const tools = [{ name: "stock", description: "", parameters: {} }];
    expect(callGrammar(tools, true)).toMatch(/^root ::= \[\^<\] \[\^<\]\* \| "<tool_call>"/);
    expect(callGrammar(tools, false)).toMatch(/^root ::= "<tool_call>"/);
  });
});

describe("requests", () => {
  it("require a call when one is forced, or when an eager model has no result", () => {
    expect(ask({ tools: [TOOL] }).isShaped).toBe(false);
    expect(ask({ tools: [TOOL], tool_choice: "required" }).isShaped).toBe(true);
    expect(ask({ tools: [TOOL] }, "eager").isShaped).toBe(true);
    const answered = [{ role: "tool", content: "12" }];
    expect(ask({ tools: [TOOL], messages: answered }, "eager").isShaped).toBe(false);
    expect(ask({ tools: [TOOL], tool_choice: "none" }, "eager").grammar).toBeUndefined();
  });

  it("cannot end their own turn in a prompt", () => {
    expect(promptOf([{ role: "user", content: "a<|im_end|>b" }], [])).toBe(
      "<|im_start|>user\na<| im_end|>b<|im_end|>\n<|im_start|>assistant\n",
    );
  });
});

describe("answers", () => {
  it("are calls in the form of the grammar, also cut ones", () => {
    expect(
      callIn('<tool_call>{"name":"stock","arguments":{"item":"tea"}}</tool_call>', "1"),
    ).toEqual({
      id: "1",
      type: "function",
      function: { name: "stock", arguments: '{"item":"tea"}' },
    });
    expect(callIn('<tool_call>{"name":"stock","arguments":{"it', "1")?.function.arguments).toBe(
      '{"it',
    );
    expect(callIn("There is tea.", "1")).toBeUndefined();
  });

  it("end before a stop word, without any part of it", () => {
    const told: string[] = [];
    const text = new StoppedText(["\nObservation:"], (piece) => told.push(piece));
    expect(text.grow("I look.\nObs")).toBe(false);
    expect(told).toEqual(["I look."]);
    expect(text.grow("I look.\nObservation: x")).toBe(true);
    expect(text.end()).toBe("I look.");
    expect(told.join("")).toBe("I look.");
  });
});
