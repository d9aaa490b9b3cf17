// Adds a new file to a project.
//
//   ADD1. Existing files are never overwritten: if one of the files exists, no file is written.
//   ADD2. The Worker's source is changed only if its shape is the known one. Otherwise the command prints the lines to
//         add.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { needProject } from "../project.ts";
import type { NewFile } from "./new-files.ts";
import { linesToAdd, registered, type Registration } from "./worker-source.ts";

export type ToAdd = {
  readonly files: ReadonlyArray<NewFile | { readonly path: string; readonly text: Uint8Array }>;
  readonly registration?: Registration;
  /** Existing files with their new contents. */
  readonly changes?: readonly NewFile[];
  readonly next: readonly string[];
};

const WORKER = "src/worker.ts";
/** Folders that `edgecrew build` reads, if the Worker imports its definitions. */
const FROM_FOLDERS = /^(?:crews|flows|skills)\//;

/** Writes the files, and prints their names and the next steps. Throws exit code 2 if a file exists. */
export function addToProject(
  context: CliContext,
  { files, registration, changes = [], next }: ToAdd,
): void {
  const { folder, config } = needProject(context);
  const [first] = files;
  const there = files.filter(({ path }) => existsSync(join(folder, path)));
  if (there.length > 0)
    throw wrongUse(
      `${there.map(({ path }) => path).join(", ")} ${there.length === 1 ? "is" : "are"} there already`,
      "choose another name, or edit the existing one",
    );
  const main = typeof config["main"] === "string" ? config["main"] : WORKER;
  const path = join(folder, main);
  const source = existsSync(path) ? readFileSync(path, "utf8") : "";
  const changed = registration === undefined ? undefined : registered(source, registration);
  for (const { path: file, text } of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { flag: "wx" });
  }
  const isChanged = changed !== undefined && changed !== source;
  for (const each of [...changes, ...(isChanged ? [{ path: main, text: changed }] : [])]) {
    const whole = join(folder, each.path);
    writeFileSync(`${whole}.new`, each.text);
    renameSync(`${whole}.new`, whole);
  }
  const byHand =
    registration !== undefined && changed === undefined
      ? linesToAdd(registration)
      : registration === undefined &&
          FROM_FOLDERS.test(first?.path ?? "") &&
          !/\bdefinitions\(/.test(source)
        ? [
            `import { definitions } from "../.edgecrew/definitions.ts";`,
            "defineApp({ …, ...definitions() })",
          ]
        : [];
  const written = [
    ...[...files, ...changes].map((file) => file.path),
    ...(isChanged ? [main] : []),
  ];
  context.out.result({ written, add: byHand, next: [...next] }, () =>
    [
      ...written.map((file) => `${file}${file === main ? "  (registered)" : ""}`),
      ...(byHand.length === 0
        ? []
        : [
            "",
            `${main} is of another shape, and was not changed. Add to it:`,
            ...byHand.map(indented),
          ]),
      ...(next.length === 0 ? [] : ["", "Next:", ...next.map(indented)]),
    ].join("\n"),
  );
}

const indented = (line: string): string => `  ${line}`;
