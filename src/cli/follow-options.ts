import type { OptionSpecs } from "./command.ts";

/** Options of every command for following a run. */
export const FOLLOW_OPTIONS = {
  stay: { about: "wait where a person elsewhere has to answer" },
  events: { about: "print the events, a line of JSON each" },
  plain: { about: "a line for each change, as where there is no terminal" },
  output: { about: "write the output into a file", value: "file", short: "o" },
  ascii: { about: "no Unicode" },
} as const satisfies OptionSpecs;
