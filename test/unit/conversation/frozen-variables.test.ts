// Tools that change what they are given.
import { expect, it } from "vitest";
import * as z from "zod";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { contextVariables as variablesOfCall } from "../../../src/conversation/turns/tool-injections.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import { quiet } from "../../support/conversations.ts";
import { calling } from "../../support/crew-harness.ts";

it.each<readonly [string, (order: { status: string; items: string[] }) => void, string]>([
  [
    "a field",
    (order) => {
      order.status = "paid";
    },
    "Cannot assign to read only property 'status'",
  ],
  ["a list", ({ items }) => void items.push("cup"), "Cannot add property 0"],
])(
  "blames the code of a tool for a change to %s of a context variable, and names variables.set()",
  async (_, change, words) => {
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: z.object({}),
      inject: { variables: variablesOfCall() },
      run: (_input, { variables }) => change(variables.get("order") as never),
    });
    const model = scriptedModel([calling("pay"), "Not paid. TERMINATE"]);
    const clerk = quiet("clerk", {
      llm: model,
      tools: [pay],
    });
    const contextVariables = new ContextVariables({ order: { status: "open", items: [] } });
    await clerk.run({ message: "Pay", executor: { contextVariables } }).summary;
    const told = JSON.stringify(model.calls.at(-1)?.messages);
    expect(told).toContain(words);
    expect(told).toContain("its code changed a frozen value");
    expect(told).toContain("set a context variable with variables.set(name, copy)");
  },
);
