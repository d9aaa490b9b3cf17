import { expect, it } from "vitest";
import { readCalls } from "../../../world/a2a-clients/calls.ts";

it("reads calls between other output, and knows right answers, also doubled ones as wrong", () => {
  const line = (agent: string, text: string | null): string =>
    `CALL ${JSON.stringify({ client: "c", agent, way: "stream", state: "completed", text })}`;
  const words = "alpha beta gamma delta";
  const output = [
    "noise",
    `╭──╮${line("clerk", words)}`,
    line("clerk", words + words),
    line("json", null),
    `${line("json", '{"a": 1.0}')}╭──╮`,
  ];
  const calls = readCalls(output.join("\n"));
  expect(calls.map(({ isRight }) => isRight)).toEqual([true, false, false, true]);
});
