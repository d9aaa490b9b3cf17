import { expect, it } from "vitest";
import { CATALOGUE_NAMES } from "../../src/wire/catalogue-names.ts";
import { ENTRIES } from "../../src/tools/catalog/entries.ts";
import { UNAVAILABLE } from "../../src/tools/catalog/unavailable.ts";
import { toolKey } from "../../src/wire/tool-key.ts";
import { KNOWLEDGE_TOOL_NAMES, toolVariables } from "../../src/wire/tool-needs.ts";
import { readSource } from "../support/source-files.ts";
import { toolNamesPage } from "../support/tool-names-page.ts";

it("lists every tool of the catalogue on its page, as `node test/support/tool-names-page.ts` prints it", async () => {
  expect(readSource("docs/tool-names.md")).toBe(await toolNamesPage());
});

it("has every name of CrewAI's catalogue, or an alternative", () => {
  const names = ENTRIES.flatMap(({ className, otherNames }) => [className, ...otherNames]);
  const keys = new Set([...names, ...Object.keys(UNAVAILABLE)].map(toolKey));
  expect([...CATALOGUE_NAMES].filter((key) => !keys.has(key))).toEqual([]);
});

it("has the needs of each tool: its variables, and the deployment's knowledge", () => {
  const known = ENTRIES.filter(({ className }) => CATALOGUE_NAMES.has(toolKey(className)));
  const variables = known.map(({ className, variables: all }) => [
    toolKey(className),
    all.flatMap(({ name, oneOf, required = oneOf === undefined, default: fallback }) =>
      required && fallback === undefined ? [name] : [],
    ),
  ]);
  expect(
    known.map(({ className }) => [toolKey(className), toolVariables(toolKey(className))]),
  ).toEqual(variables.map(([key, names]) => [key, expect.arrayContaining(names as string[])]));
  expect(variables.flatMap(([, names]) => names)).toHaveLength(
    known.flatMap(({ className }) => toolVariables(toolKey(className))).length,
  );
  const searching = known.filter(({ make }) => needsKnowledge(make));
  expect(searching.map(({ className }) => toolKey(className)).toSorted()).toEqual(
    [...KNOWLEDGE_TOOL_NAMES].toSorted(),
  );
});

/** True for a tool whose check refuses a run without knowledge. */
function needsKnowledge(make: (typeof ENTRIES)[number]["make"]): boolean {
  try {
    const { tool } = make({});
    if ("check" in tool) tool.check?.({});
    return false;
  } catch (error) {
    return (error as Error).message.includes("deployment's knowledge");
  }
}

it("names no tool twice", () => {
  const classes = ENTRIES.map(({ className }) => toolKey(className));
  expect(classes.toSorted()).toEqual([...new Set(classes)].toSorted());
});
