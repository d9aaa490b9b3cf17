import { expect, it } from "vitest";
import { preferredWait } from "../../../src/parts/prefer.ts";

it.each([
  ["wait=10", 10],
  ["wait=0", 0],
  ["respond-async, wait=10", 10],
  ["wait=10; foo", 10],
  ['Wait = "7"', 7],
  ["wait=61", 60],
  ["wait=999999999", 60],
])("reads %j as %d seconds", (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

it.each([
  undefined,
  "",
  "respond-async",
  "wait",
  "wait=",
  "wait=soon",
  "wait=-1",
  "wait=1.5",
  "await=10",
])("ignores %j", (header) => {
  expect(preferredWait(header)).toBeUndefined();
});
