import { expect, it } from "vitest";
import { envOf, type EnvVar } from "../../../src/tools/env-vars.ts";

const envVars: readonly EnvVar[] = [
  { name: "FIRST_KEY", description: "the key of the first", oneOf: "search" },
  { name: "SECOND_KEY", description: "the key of the second", oneOf: "search" },
  { name: "OTHER_KEY", description: "another key", required: false },
];

it("asks for at least one variable of a group", () => {
  expect(() => envOf({ name: "search", envVars }, { OTHER_KEY: "o" })).toThrow(
    'tool "search" needs variables that this deployment does not set: one of FIRST_KEY, SECOND_KEY',
  );
  expect(envOf({ name: "search", envVars }, { SECOND_KEY: "s" })).toEqual({ SECOND_KEY: "s" });
});
