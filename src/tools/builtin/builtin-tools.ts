import * as z from "zod";
import { tool, type Tool } from "../tool.ts";
import { evaluate } from "./arithmetic.ts";
import { timeIn } from "./time-text.ts";

/** Calculates numbers and dates, without running code. */
export const calculator: Tool = tool({
  name: "calculator",
  description:
    'Compute an expression: + - * / % ^, comparisons, functions such as round, sqrt, sum, avg, and dates such as date("2026-11-20") + days(3) or daysBetween("2026-01-01", today).',
  input: z.object({
    expression: z.string().min(1).max(1000).describe("The expression to compute"),
  }),
  effect: "pure",
  run: ({ expression }, context) => evaluate(expression, context.now()),
});

/** The built-in tool `current_time`: date, time and weekday, in a time zone. */
export const currentTime: Tool = tool({
  name: "current_time",
  description: "Tell the current date and time, in a time zone if one is given.",
  input: z.object({
    timeZone: z
      .string()
      .optional()
      .describe("IANA time zone, such as Europe/Berlin; UTC when left out"),
  }),
  effect: "pure",
  run: ({ timeZone }, context) => timeIn(context.now(), timeZone),
});

/** Durable timer: the run sleeps at no cost. */
export const wait: Tool = tool({
  name: "wait",
  description: "Wait for a number of seconds before going on.",
  input: z.object({
    seconds: z.number().min(0).max(31_536_000).describe("How long, in seconds; at most a year"),
  }),
  effect: "pure",
  run: async ({ seconds }, context) => {
    await context.sleep("timer", seconds * 1000);
    return `Waited for ${seconds} seconds.`;
  },
});

/** Tools available to every definition by name. */
export const BUILTIN_TOOLS: readonly Tool[] = [calculator, currentTime, wait];
