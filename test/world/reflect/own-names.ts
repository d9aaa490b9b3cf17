// Names of this project, each with a check that it exists.
//
// A name is one of
//   `Agent.maxIter`          an option or field of a type, or of what a method takes: the compiler says so
//   `Crew#kickoff`           a method of a class: the compiler says so
//   `edgecrew/flow#or`       exported by an entry of the package
//   `event flow_started`     emitted by the core or a part of an app
//   `$ train --filename`     a command, or an option of one
//   `tool SerperDevTool`     a tool of the catalogue
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { GLOBAL } from "../../../src/cli/global-options.ts";
import { eventTypesOf } from "../../../src/parts/event-types.ts";
import { toolCatalog } from "../../../src/entry/tool-catalog.ts";
import { appParts } from "../../support/app-parts.ts";
import { PACKAGE_ENTRIES } from "../../support/package-entries.ts";
import { OWNERS } from "./owners.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The names that exist. `scratch` is a folder of this repository for what is compiled. */
export async function existingNames(
  names: readonly string[],
  scratch: string,
): Promise<ReadonlySet<string>> {
  const all = [...new Set(names)];
  const members = all.filter((name) => /^\w+[.#]\w+$/.test(name) && ownerOf(name) !== undefined);
  const plain = new Set([
    ...eventNames(),
    ...exportNames(),
    ...(await commandNames()),
    ...toolNames(),
  ]);
  return new Set([...all.filter((name) => plain.has(name)), ...compiledMembers(members, scratch)]);
}

function* eventNames(): Iterable<string> {
  for (const type of eventTypesOf(appParts)) yield `event ${type}`;
}

function* exportNames(): Iterable<string> {
  for (const [entry, file] of Object.entries(PACKAGE_ENTRIES))
    for (const name of exportsOf(join(root, "src", file))) yield `${entry}#${name}`;
}

/** Names that a module exports, values and types, with those of the modules that it passes on. */
function exportsOf(file: string): readonly string[] {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, importName, moduleRequest }) => {
      if (exportName.name !== null) return [exportName.name];
      // Without a name it is `export * from`.
      const isAll = importName.name === null && moduleRequest !== null;
      return isAll ? exportsOf(join(dirname(file), moduleRequest.value)) : [];
    });
}

async function commandNames(): Promise<readonly string[]> {
  const commands = await Promise.all(
    COMMANDS.map(async ({ name, aliases = [], load }) => {
      const { options, spellings = {} } = await load();
      const written = Object.keys({ ...GLOBAL, ...options }).map(
        (option) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      );
      const flags = [...written, ...Object.keys(spellings)];
      return [name, ...aliases].flatMap((each) => [
        `$ ${each}`,
        ...flags.map((flag) => `$ ${each} ${flag}`),
      ]);
    }),
  );
  return commands.flat();
}

function toolNames(): readonly string[] {
  const classes = toolCatalog().list();
  return classes.map(({ className }) => `tool ${className}`);
}

function ownerOf(name: string): string | undefined {
  const [, owner = "", sign] = /^(\w+)([.#])/.exec(name) ?? [];
  return (sign === "." ? OWNERS.fields : OWNERS.classes)[owner];
}

/** A text that is none of a union, and one that is nearly one of it. */
const NOT_A_MEMBER = new Set(["TS2322", "TS2820"]);

/** The members that the compiler knows. */
function compiledMembers(names: readonly string[], scratch: string): readonly string[] {
  mkdirSync(scratch, { recursive: true });
  const from = relative(scratch, join(root, "src")).replaceAll("\\", "/");
  const head = "type KeysOf<T> = T extends unknown ? keyof T : never;";
  const lines = names.map((name, at) => {
    const type = (ownerOf(name) ?? "").replaceAll('import("', `import("${from}/`);
    return `export const _${at}: KeysOf<${type}> = ${JSON.stringify(name.replace(/^\w+[.#]/, ""))};`;
  });
  const file = join(scratch, "members.ts");
  writeFileSync(file, `${[head, ...lines].join("\n")}\n`);
  const config = join(scratch, "tsconfig.json");
  const base = relative(scratch, join(root, "tsconfig.node.json")).replaceAll("\\", "/");
  const settings = { extends: base, files: ["members.ts"], include: [], exclude: [] };
  writeFileSync(config, JSON.stringify(settings));
  const compiler = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", config],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const output = compiler.stdout + compiler.stderr;
  const wrong = new Set<number>();
  const faults: string[] = [];
  for (const line of output.split("\n").filter((each) => /error TS/.test(each))) {
    const [, path = "", row, code = ""] = /^(.*)\((\d+),\d+\): error (TS\d+)/.exec(line) ?? [];
    if (path.endsWith("members.ts") && NOT_A_MEMBER.has(code)) wrong.add(Number(row) - 2);
    // Errors of the source itself are for `npm run types`.
    else if (!/(^|\/)src\//.test(path)) faults.push(line);
  }
  if (faults.length > 0) throw new Error(`the compiler fails:\n${faults.join("\n")}`);
  return names.filter((_, at) => !wrong.has(at));
}
