import type { OptionSpecs } from "./command.ts";
import { FOLLOW_OPTIONS } from "./follow-options.ts";

/** Options for the inputs of a run. */
export const INPUT_OPTIONS = {
  input: {
    about: "an input: k=text, k:=json, k=@file",
    value: "name=value",
    many: true,
    short: "i",
  },
  inputs: { about: "all inputs: JSON, @file, or - for standard input", value: "json" },
} as const satisfies OptionSpecs;

/** Options for running a crew several times and following the runs. */
export const ACTION_OPTIONS = {
  ...INPUT_OPTIONS,
  id: { about: "the id of the run", value: "id" },
  detach: { about: "print the id and go" },
  ...FOLLOW_OPTIONS,
} as const satisfies OptionSpecs;
