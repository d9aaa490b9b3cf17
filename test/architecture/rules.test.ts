import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { parseSource, readSource, sourceFiles, walk } from "../support/source-files.ts";

/** A place in the repository that defines or cites a rule. */
type Mention = { readonly id: string; readonly path: string };

const ID = /[A-Z]{1,3}[1-9]\d?/g;

/** `//   J1. A step is on record …` in the header of a file. */
const IN_HEADER = /^\/\/ +([A-Z]{1,3}[1-9]\d?)\. /gm;

/** `- **F1. Ids are derived** …` in a page. */
const IN_LIST = /^- \*\*([A-Z]{1,3}[1-9]\d?)\. /gm;

/** A table of a page whose columns are the rule and its behaviour, and the rows in it. */
const TABLE = /^\| Rule \| Behaviour \|\n\| --- \| --- \|\n((?:\|.*\n)+)/gm;
const ROW = /^\| ([A-Z]{1,3}[1-9]\d?) \| /gm;

/** `J1: …` or `J1, J2: …` at the beginning of a test's name, or of what the simulation reports. */
const CITATION = /^([A-Z]{1,3}[1-9]\d?(?:, [A-Z]{1,3}[1-9]\d?)*): /;
const COMMENT = /^\s*(?:\/\/|\/?\*+) ([A-Z]{1,3}[1-9]\d?(?:, [A-Z]{1,3}[1-9]\d?)*): /gm;

/** Defined rules that no test cites yet. The list may only become shorter. */
const UNPROVEN: readonly string[] = [];

const tests = sourceFiles("test");
const pages = [...globSync("docs/design/*.md"), "test/simulation/README.md"];

const definitions: readonly Mention[] = [
  ...sourceFiles("src", "durable-objects").flatMap((path) => matches(path, IN_HEADER)),
  ...pages.flatMap((path) => [
    ...matches(path, IN_LIST),
    ...matches(path, TABLE).flatMap(({ id: rows }) => matches(path, ROW, rows)),
  ]),
];
const citations = tests.flatMap(citationsOf);
const defined = new Set(definitions.map(({ id }) => id));

it("defines each rule once, and each prefix in one file", () => {
  expect(definitions.length).toBeGreaterThan(300);
  expect(definitions.map(({ id }) => id).toSorted()).toEqual([...defined].toSorted());
  const files = Map.groupBy(definitions, ({ id }) => id.replace(/\d+$/, ""));
  const shared = [...files].map(([prefix, found]) => ({
    prefix,
    paths: [...new Set(found.map(({ path }) => path))],
  }));
  expect(shared.filter(({ paths }) => paths.length > 1)).toEqual([]);
});

it("defines every rule cited in tests", () => {
  const comments = tests.flatMap((path) =>
    matches(path, COMMENT).flatMap(({ id: ids }) => matches(path, ID, ids)),
  );
  expect([...citations, ...comments].filter(({ id }) => !defined.has(id))).toEqual([]);
});

it("cites every rule in a test", () => {
  const cited = new Set(citations.map(({ id }) => id));
  const uncited = definitions.filter(({ id }) => !cited.has(id)).map(({ id }) => id);
  expect(uncited.toSorted()).toEqual(UNPROVEN);
});

/** What the pattern's first group, or else the whole pattern, finds in a file. */
function matches(path: string, pattern: RegExp, source: string = readSource(path)): Mention[] {
  return Array.from(source.matchAll(pattern), ([whole, id = whole]) => ({ id, path }));
}

/** The rules at the beginning of strings, and those in the lists called `rules` of planted bugs. */
function citationsOf(path: string): Mention[] {
  const found: Mention[] = [];
  const cite = (ids: string): void => void found.push(...matches(path, ID, ids));
  walk(parseSource(path), (node) => {
    if (node.type === "Literal" && typeof node.value === "string")
      cite(CITATION.exec(node.value)?.[1] ?? "");
    if (node.type === "TemplateLiteral")
      cite(CITATION.exec(node.quasis[0]?.value.raw ?? "")?.[1] ?? "");
    if (node.type === "Property" && node.key.type === "Identifier" && node.key.name === "rules")
      walk(node.value, (rule) => {
        if (rule.type === "Literal" && typeof rule.value === "string") cite(rule.value);
      });
  });
  return found;
}
