import { expect, it } from "vitest";
import { validTraceparent } from "../../../src/base/traceparent.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

it.each([
  ["as it is", `00-${TRACE}-${SPAN}-01`],
  ["not sampled", `00-${TRACE}-${SPAN}-00`],
  ["with space around it", ` 00-${TRACE}-${SPAN}-01\t`],
])("takes a traceparent %s", (_, header) => {
  expect(validTraceparent(header)).toBe(header.trim());
});

it("TRP1: reads the known fields of a later version", () => {
  expect(validTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-adds`)).toBe(
    `00-${TRACE}-${SPAN}-01`,
  );
});

it.each([
  ["null", null],
  ["an empty text", ""],
  ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["version ff", `ff-${TRACE}-${SPAN}-01`],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
  ["more than version 00 has", `00-${TRACE}-${SPAN}-01-more`],
  ["a later version without a dash", `cc-${TRACE}-${SPAN}-01x`],
  ["two headers", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ["no flags", `00-${TRACE}-${SPAN}`],
  ["a second line", `00-${TRACE}-${SPAN}-01\nx: y`],
])("TRP1: ignores %s (OP8)", (_, header) => {
  expect(validTraceparent(header)).toBeUndefined();
});
