import { expect, it } from "vitest";
import { mostLike, nearestNames } from "../../../src/wire/tool-key.ts";

const NAMES = ["SerperDevTool", "SpiderTool", "S3WriterTool", "ComposioTool", "GithubSearchTool"];

it.each([
  ["SerperDefTool", ["SerperDevTool"]],
  ["serper", ["SerperDevTool"]],
  ["github", ["GithubSearchTool"]],
])("names the tools that are like %s", (name, near) => {
  expect(nearestNames(name, NAMES)).toEqual(near);
});

it.each(["look_up_order", "sort_commits", "s3", "my_company_crm"])(
  "names no tool for %s, which only has letters in common",
  (name) => {
    expect(nearestNames(name, NAMES)).toEqual([]);
  },
);

it("leaves the hint out of a message without a similar name", () => {
  expect(mostLike([])).toBe("");
  expect(mostLike(["A", "B"], " in the catalogue")).toBe("; most like it in the catalogue: A, B");
});
