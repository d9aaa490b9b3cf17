import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { parseSource, readSource, sourceFiles, walk } from "../support/source-files.ts";
import { testNamesOf } from "../support/test-names.ts";

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

/** `(CO12)` or `(D6.54, D6.55)` at the end of a test's name, `vector X9: …` at its beginning. */
const VECTOR = /[A-Z]{1,3}[1-9]\d?(?:\.[1-9]\d?)?/g;
const AT_END = new RegExp(`\\((${VECTOR.source}(?:, ${VECTOR.source})*)\\)$`);
const AT_START = new RegExp(`^vector (${VECTOR.source}): `);

/** `## CO: console` and the rows below it. */
const VECTOR_PAGE = "docs/design/test-vectors.md";
const SECTION =
  /^## ([A-Z]{1,3}\d?): .+\n\n\| Vector \| Behaviour \|\n\| --- \| --- \|\n((?:\|.*\n)+)/gm;
const VECTOR_ROW = new RegExp(`^\\| (${VECTOR.source}) \\| `, "gm");

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
const sections = Array.from(
  readSource(VECTOR_PAGE).matchAll(SECTION),
  ([, letters, rows = ""]) => ({
    letters,
    ids: matches(VECTOR_PAGE, VECTOR_ROW, rows).map(({ id }) => id),
  }),
);
const vectors = sections.flatMap(({ ids }) => ids);
const vectorCitations = tests.flatMap((path) => vectorCitationsOf(path));

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

it("defines each vector once, in the order of its table", () => {
  expect(vectors.length).toBeGreaterThan(300);
  expect(vectors.toSorted()).toEqual([...new Set(vectors)].toSorted());
  for (const { letters, ids } of sections) {
    expect(new Set(ids.map((id) => id.replace(/\.?\d+$/, "")))).toEqual(new Set([letters]));
    const numbers = ids.map((id) => Number(/\d+$/.exec(id)?.[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
});

it("defines every id in parentheses at the end of a test's name", () => {
  const known = new Set([...vectors, ...defined]);
  expect(vectorCitations.filter(({ id }) => !known.has(id))).toEqual([]);
});

it("cites every vector in a test", () => {
  const cited = new Set(vectorCitations.map(({ id }) => id));
  expect(vectors.filter((id) => !cited.has(id))).toEqual([]);
});

it("finds vectors at both places of a name", () => {
  const source = `
    it("acts (CO2, D6.54)", run); it.each([["(no)", f()]])("%s acts (W1)", run);
    describe("vector X9: acts", run); it("acts (section 6)", run); scenario("acts (AG2 #494)", run);
    call("acts (CO3)");
  `;
  const ids = vectorCitationsOf("planted.test.ts", source).map(({ id }) => id);
  expect(ids).toEqual(["CO2", "D6.54", "W1", "X9"]);
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

/** Vectors that names of tests cite. */
function vectorCitationsOf(path: string, source: string = readSource(path)): Mention[] {
  return testNamesOf(path, source).flatMap(({ value }) =>
    [AT_END, AT_START].flatMap((pattern) => matches(path, VECTOR, pattern.exec(value)?.[1] ?? "")),
  );
}
