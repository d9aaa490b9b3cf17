// Kinds of runs come from the parts of an app; modules do not list them.
import { expect, it } from "vitest";
import { readSource, sourceFiles } from "../support/source-files.ts";

const KIND = '"(?:crew|flow|agent|conversation)"';
/** Three kinds in a row, as a union or a list. */
const LISTED = new RegExp(`${KIND}(?:\\s*[|,]\\s*${KIND}){2}`);

it("lists run kinds in no module", () => {
  const files = [...sourceFiles("src", "durable-objects"), ...sourceFiles("console")];
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((path) => LISTED.test(readSource(path)))).toEqual([]);
});

it.each([
  'type Kind = "crew" | "flow" | "agent" | "conversation";',
  'z.enum(["crew", "flow", "agent"])',
])("finds the list in %j", (source) => {
  expect(LISTED.test(source)).toBe(true);
});
