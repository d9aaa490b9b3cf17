// Tools for the test crews. Each enters its calls in the ledger.
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { tool } from "../../../src/tools/tool.ts";
import { enter, note } from "./ledger.ts";

export const lookUp = tool({
  name: "look_up",
  description: "Look something up.",
  input: z.object({ about: z.string() }),
  run: async ({ about }, context) => {
    await enter(context, context.signal);
    return `facts about ${about}`;
  },
});

export const charge = tool({
  name: "charge",
  description: "Charge a card. Never twice.",
  input: z.object({ amount: z.number() }),
  effect: "once",
  run: async ({ amount }, context) => {
    await enter(context, context.signal);
    return `charged ${amount}`;
  },
});

export const broken = tool({
  name: "broken",
  description: "Fails always.",
  input: z.object({}),
  run: async (_, context) => {
    await enter(context, context.signal);
    throw new Error("the tool is broken");
  },
});

export const flaky = tool({
  name: "flaky",
  description: "Fails at the first attempt.",
  input: z.object({}),
  retry: { maxAttempts: 3, initialDelayMs: 20, maxDelayMs: 20, maxRetryAfterMs: 0 },
  run: async (_, context) => {
    await enter(context, context.signal);
    if (context.attempt === 1) throw new EngineError("tool_failed", "not yet", { retryable: true });
    return `worked at attempt ${context.attempt}`;
  },
});

/** Does not listen when it is told to stop, and answers late. */
export const stubborn = tool({
  name: "stubborn",
  description: "Hears no signal.",
  input: z.object({}),
  run: async (_, context) => {
    await enter(context, context.signal, { stubborn: true });
    note(context.runId, "stubborn answered");
    return "a late answer";
  },
});

export const askPerson = tool({
  name: "ask_person",
  description: "Ask a person.",
  input: z.object({ question: z.string() }),
  run: async ({ question }, context) => {
    const answer = await context.wait<{ feedback?: string }>("answer", {
      kind: "human",
      prompt: question,
    });
    return `the person said: ${answer.feedback ?? "nothing"}`;
  },
});

/** Asks inside `try`, `catch` and `finally`, and notes which of them ran to their end. */
export const askCarefully = tool({
  name: "ask_carefully",
  description: "Ask a person, with care.",
  input: z.object({}),
  run: async (_, context) => {
    let said = "nobody answered";
    try {
      said = await context.wait<string>("answer", { kind: "input", choices: ["yes", "no"] });
    } catch {
      note(context.runId, "catch");
    } finally {
      note(context.runId, "finally");
    }
    return said;
  },
});

/** Waits for an answer, but not for ever. */
export const askInTime = tool({
  name: "ask_in_time",
  description: "Ask a person, and go on without an answer.",
  input: z.object({ withinMs: z.number() }),
  run: async ({ withinMs }, context) =>
    context.wait<string>("answer", {
      kind: "input",
      dueAtMs: context.now() + withinMs,
      otherwise: "no answer in time",
    }),
});

export const nap = tool({
  name: "nap",
  description: "Sleep.",
  input: z.object({ ms: z.number() }),
  run: async ({ ms }, context) => {
    await context.sleep("nap", ms);
    return `slept ${ms} ms`;
  },
});

/** Makes its work of recorded parts. */
export const inSteps = tool({
  name: "in_steps",
  description: "Do something in two steps.",
  input: z.object({}),
  run: async (_, context) => {
    const first = await context.step("first", async (inner) => {
      await enter(inner, inner.signal);
      return "one";
    });
    const second = await context.step("second", async (inner) => {
      await enter(inner, inner.signal);
      return "two";
    });
    return `${first} and ${second}`;
  },
});

/** Texts of any length, told apart by their ends. */
export const dump = tool({
  name: "dump",
  description: "Return a long text.",
  input: z.object({ length: z.number(), text: z.string() }),
  run: async ({ length, text }, context) => {
    await enter(context, context.signal);
    return text.repeat(Math.ceil(length / text.length)).slice(0, length);
  },
});

/** Ends only when it is aborted. */
export const endless = tool({
  name: "endless",
  description: "Never ends.",
  input: z.object({}),
  run: (_, { signal }) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    }),
});

/** Waits for a person's word before it is called; not for every crew. */
export const payOut = tool({
  name: "pay_out",
  description: "Pay money out.",
  input: z.object({ amount: z.number() }),
  effect: "once",
  needsApproval: ({ amount }) => Number(amount) > 5,
  run: async ({ amount }, context) => {
    await enter(context, context.signal);
    return `paid ${amount}`;
  },
});

export const TOOLS = [
  endless,
  lookUp,
  charge,
  broken,
  flaky,
  stubborn,
  askPerson,
  askCarefully,
  askInTime,
  nap,
  inSteps,
  dump,
];
