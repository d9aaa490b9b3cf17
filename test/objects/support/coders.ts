// Agents that run the code that they are sent.
import * as z from "zod";
import { runCode } from "../../../src/entry/code.ts";
import { Agent, tool } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { enter } from "./ledger.ts";

const lookUp = tool({
  name: "look_up",
  description: "Look something up.",
  input: z.object({ about: z.string() }),
  run: async ({ about }, context) => {
    await enter(context, context.signal);
    return { about, length: about.length };
  },
});

const coding = runCode({
  languages: ["javascript", "typescript"],
  session: "run",
  tools: [lookUp],
});

/** Runs each line of what it is told as a piece of code, one after another, and says what the last one came to. */
export const coder = new Agent({
  role: "Coder",
  goal: "Run code",
  backstory: "You do as you are told.",
  tools: [coding],
  llm: scriptedModel(({ messages }) => {
    const pieces = String(messages.find(({ role }) => role === "user")?.content).split("\n---\n");
    const results = messages.filter(({ role }) => role === "tool");
    const next = pieces[results.length];
    if (next === undefined) return String(results.at(-1)?.content);
    const [, language = "javascript", code = next] =
      /^(typescript|javascript): ([^]*)$/.exec(next) ?? [];
    return { toolCalls: [{ name: "run_code", arguments: { code, language } }] };
  }),
});
