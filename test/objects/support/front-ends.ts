// Agents that front ends talk with.
import * as z from "zod";
import { Agent, tool } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { note } from "./ledger.ts";
import { speaks } from "./speech.ts";

const shared = { goal: "Talk", backstory: "You are calm." };

/** Says what a test lets it say, word by word. */
export const teller = new Agent({ role: "Teller", ...shared, llm: speaks() });

const pay = tool({
  name: "pay",
  description: "Pay.",
  input: z.object({ amount: z.number() }),
  needsApproval: true,
  run: ({ amount }, { runId }) => {
    note(runId, `paid ${amount}`);
    return `paid ${amount}`;
  },
});

/** Pays once, if a person approves; with a tool of the front end named `pick`, it has that called instead. */
export const payer = new Agent({
  role: "Payer",
  ...shared,
  tools: [pay],
  llm: scriptedModel(({ messages, tools = [] }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `Done: ${last.content}`;
    const picks = tools.some(({ name }) => name === "pick");
    return {
      toolCalls: [
        picks ? { name: "pick", arguments: {} } : { name: "pay", arguments: { amount: 5 } },
      ],
    };
  }),
});
