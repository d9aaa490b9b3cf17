import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Declaration = { readonly name: string; readonly file: string; readonly hasText: boolean };

it("every exported name has a text of its own, where it is declared", () => {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  const doors = Object.values(exports).flatMap((target) =>
    typeof target === "object"
      ? [join(root, target.default.replace("./dist/", "").replace(/\.js$/, ".ts"))]
      : [],
  );
  const declared = doors.flatMap((door) =>
    namesOf(door).flatMap((name) => declarationOf(door, name) ?? []),
  );
  expect(declared.length).toBeGreaterThan(400);
  const silent = declared.filter(({ hasText }) => !hasText);
  expect(silent.map(({ name, file }) => `${name} in ${file.slice(root.length)}`)).toEqual([]);
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
  const at = source.search(
    new RegExp(
      `^(?:export )?(?:type|interface|class|abstract class|async function|function|const) ${name}\\b`,
      "m",
    ),
  );
  if (at >= 0) {
    const before = source.slice(0, at).trimEnd();
    const hasText =
      before.endsWith("*/") && before.slice(before.lastIndexOf("/*")).startsWith("/**");
    return { name, file, hasText };
  }
  for (const [, list = "", from] of source.matchAll(LIST)) {
    const entry = entriesOf(list).find((each) => each.name === name);
    if (entry !== undefined && from !== undefined)
      return declarationOf(join(dirname(file), from), entry.local);
  }
  return undefined;
}
