import { expect, it } from "vitest";
import { CATALOGUE_NAMES } from "../../src/wire/catalogue-names.ts";
import { ENTRIES } from "../../src/tools/catalog/entries.ts";
import { UNAVAILABLE } from "../../src/tools/catalog/unavailable.ts";
import { toolKey } from "../../src/wire/tool-key.ts";
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

it("names no tool twice", () => {
  const classes = ENTRIES.map(({ className }) => toolKey(className));
  expect(classes.toSorted()).toEqual([...new Set(classes)].toSorted());
});
