import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Declaration = {
  readonly name: string;
  readonly file: string;
  readonly isValue: boolean;
  readonly hasText: boolean;
};

/** What the package exports, by all its subpaths. */
function exported(): readonly Declaration[] {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  const doors = Object.values(exports).flatMap((target) =>
    typeof target === "object"
      ? [join(root, target.default.replace("./dist/", "").replace(/\.js$/, ".ts"))]
      : [],
  );
  return doors.flatMap((door) => namesOf(door).flatMap((name) => declarationOf(door, name) ?? []));
}

it("every exported name has a text of its own at its declaration", () => {
  const declared = exported();
  expect(declared.length).toBeGreaterThan(400);
  const silent = declared.filter(({ hasText }) => !hasText);
  expect(silent.map(({ name, file }) => `${name} in ${file.slice(root.length)}`)).toEqual([]);
});

it("every exported value is named by the page of entry points", () => {
  const page = readFileSync(`${root}/docs/entry-points.md`, "utf8");
  const values = exported().filter(({ isValue }) => isValue);
  expect(values.length).toBeGreaterThan(100);
  expect(values.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual(
    [],
  );
});

const LIST = /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;

/** The names in the lists of a module, and those that it declares itself. */
function namesOf(file: string): readonly string[] {
  const source = readFileSync(file, "utf8");
  const own = source.matchAll(
    /^export (?:type|interface|class|abstract class|async function|function|const) (\w+)/gm,
  );
  return [
    ...Array.from(source.matchAll(LIST), ([, list = ""]) => entriesOf(list)).flat(),
    ...Array.from(own, ([, name = ""]) => ({ local: name, name })),
  ].map(({ name }) => name);
}

function entriesOf(list: string): { readonly local: string; readonly name: string }[] {
  return list
    .replaceAll(/\/\/.*$/gm, "")
    .split(",")
    .map((entry) => entry.trim().replace(/^type /, ""))
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [local = "", name = local] = entry.split(" as ");
      return { local, name };
    });
}

function declarationOf(file: string, name: string): Declaration | undefined {
  const source = readFileSync(file, "utf8");
  const found = new RegExp(
    `^(?:export )?(type|interface|class|abstract class|async function|function|const) ${name}\\b`,
    "m",
  ).exec(source);
  if (found !== null) {
    const before = source.slice(0, found.index).trimEnd();
    const isValue = found[1] !== "type" && found[1] !== "interface";
    const hasText =
      before.endsWith("*/") && before.slice(before.lastIndexOf("/*")).startsWith("/**");
    return { name, file, isValue, hasText };
  }
  for (const [, list = "", from] of source.matchAll(LIST)) {
    const entry = entriesOf(list).find((each) => each.name === name);
    if (entry !== undefined && from !== undefined)
      return declarationOf(join(dirname(file), from), entry.local);
  }
  return undefined;
}
