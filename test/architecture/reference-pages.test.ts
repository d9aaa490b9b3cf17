import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { GLOBAL } from "../../src/cli/global-options.ts";
import { baseUrlVariables, keyVariables, PROVIDERS } from "../../src/llm/providers.ts";
import { STATUS_BY_CODE } from "../../src/parts/code-answers.ts";
import { REFERENCE_PAGES } from "../support/reference-pages.ts";
import { readSource, sourceFiles } from "../support/source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

describe("pages generated from the source", () => {
  it.each(Object.keys(REFERENCE_PAGES))(
    "%s is as `npm run docs:fill` writes it (DO2)",
    async (path) => {
      expect(page(path)).toBe(await REFERENCE_PAGES[path]?.());
    },
  );
});

describe("commands and options", () => {
  const reference = page("docs/reference-cli.md");

  it("has each command with each of its options (DO2)", async () => {
    const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
    expect(commands.length).toBeGreaterThan(70);
    const missing = commands.flatMap(({ name, options }) =>
      missingOptions(reference, name, { ...options }).map((option) => `${name} --${option}`),
    );
    expect(missing).toEqual([]);
    expect(missingOptions(reference, "Options of every command", GLOBAL)).toEqual([]);
  });

  it("would miss an option without a row (DO2)", () => {
    expect(missingOptions(reference, "run", { plantedOption: {} })).toEqual(["planted-option"]);
  });
});

/** Names that code reads of `variables` and `env`, and all that begin with our own prefix. */
const READ =
  /\b(?:variables|env|environment|process\.env)(?:\?\.)?(?:\.|\[")([A-Z][A-Z0-9_]{1,})\b/g;
const OWN = /\bEDGECREW_[A-Z_]*[A-Z]\b/g;

/** Of the machine, and bindings whose names are an app's own choice. */
const NOT_OURS = new Set(["PATH", "HOME", "EDGECREW_BRAND"]);

describe("variables", () => {
  const reference = page("docs/reference-variables.md");

  it("has a row for each variable, secret and binding in the code (DO2)", () => {
    const read = sourceFiles("src").flatMap((path) => variablesOf(readSource(path)));
    expect(new Set(read).size).toBeGreaterThan(25);
    expect(withoutRow(read, reference)).toEqual([]);
  });

  it("has the keys and addresses of all providers (DO2)", () => {
    const names = PROVIDERS.flatMap((provider) => [
      ...keyVariables(provider),
      ...baseUrlVariables(provider),
    ]);
    expect(withoutRow(names, reference)).toEqual([]);
  });

  it("would miss a variable without a row (DO2)", () => {
    const planted = variablesOf('const a = variables["PLANTED_NAME"] ?? env.EDGECREW_PLANTED;');
    expect(withoutRow(planted, reference)).toEqual(["EDGECREW_PLANTED", "PLANTED_NAME"]);
  });
});

describe("error codes", () => {
  const rows = new Map(
    Array.from(
      page("docs/reference-errors.md").matchAll(/^\| `(\w+)` \| (\d+) \|/gm),
      ([, code = "", status]) => [code, Number(status)],
    ),
  );

  it("has a row for each code, with its status, and no other (DO2)", () => {
    expect(Object.fromEntries(rows)).toEqual(STATUS_BY_CODE);
  });
});

function missingOptions(reference: string, heading: string, options: object): string[] {
  const at = reference.indexOf(`\n## ${heading}\n`);
  const section = at < 0 ? "" : (reference.slice(at + 1).split("\n## ")[0] ?? "");
  return Object.entries(options as Readonly<Record<string, { readonly hidden?: boolean }>>)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    .filter((name) => !new RegExp(`\`--(?:no-)?${name}(?: <[^>]+>)?\``).test(section));
}

function variablesOf(source: string): string[] {
  return [
    ...Array.from(source.matchAll(READ), ([, name = ""]) => name),
    ...Array.from(source.matchAll(OWN), ([name]) => name),
  ];
}

function withoutRow(names: readonly string[], reference: string): string[] {
  const rows = reference.split("\n").filter((line) => line.startsWith("| "));
  return [...new Set(names)]
    .filter((name) => !NOT_OURS.has(name) && !rows.some((row) => row.includes(`\`${name}\``)))
    .toSorted();
}
