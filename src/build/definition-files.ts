// Definition files of a project: crews/*/, flows/*.yaml and skills/*/.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Issue } from "../base/error.ts";

/** Texts by path from the project's folder, with `/` on every system. */
export type Texts = Readonly<Record<string, string>>;

/** Definitions in a project's folders, by the names that start their runs. */
export type DefinitionFiles = {
  /** Files of each folder in `crews/` with a crew as data. Folders with code alone are left to the project. */
  readonly crews: Readonly<Record<string, Texts>>;
  /** The one file of each flow. */
  readonly flows: Readonly<Record<string, FlowFile>>;
  /** The files of each folder in `skills/`. */
  readonly skills: Readonly<Record<string, Texts>>;
  /** Unusable files. */
  readonly faults: readonly Issue[];
};

/** A flow's file: its path from the project's folder, and its text. */
export type FlowFile = { readonly path: string; readonly text: string };

/** Accepted files in a folder of `crews/`. */
export const CREW_FILE = /\.(ya?ml|jsonc?|md|txt)$/i;
/** Makes a folder a crew. */
const CREW_ROOT = /\/(crew\.(jsonc?|ya?ml)|(agents|tasks)\.ya?ml)$/;
const FLOW_FILE = /\.(ya?ml|json)$/i;
const MAX_DEPTH = 8;

/** Reads them. Skips links and hidden files. */
export function readDefinitionFiles(folder: string): DefinitionFiles {
  const faults: Issue[] = [];
  const wrong = (path: string, message: string): void => {
    faults.push({ path: "", message: `${path}: ${message}` });
  };
  const read = (path: string): string | undefined => {
    const text = textOf(join(folder, path));
    if (text === undefined) wrong(path, "expected text in UTF-8");
    return text;
  };
  return {
    crews: named(folder, "crews", (path) => {
      const texts = textsBelow(folder, path, (file) =>
        CREW_FILE.test(file) ? read(file) : undefined,
      );
      return Object.keys(texts).some((file) => CREW_ROOT.test(file)) ? texts : undefined;
    }),
    flows: flowsIn(folder, { read, wrong }),
    skills: named(folder, "skills", (path) => {
      const main = `${path}/SKILL.md`;
      // Resources may be pictures. Only texts are useful to an agent.
      const texts = textsBelow(folder, path, (file) =>
        file === main ? read(file) : textOf(join(folder, file)),
      );
      if (Object.hasOwn(texts, main)) return texts;
      if (Object.keys(texts).length > 0) wrong(main, "a skill needs this file");
      return undefined;
    }),
    faults,
  };
}

function named(
  folder: string,
  kind: string,
  read: (path: string) => Texts | undefined,
): Readonly<Record<string, Texts>> {
  const found = foldersIn(join(folder, kind)).map((name) => [name, read(`${kind}/${name}`)]);
  return Object.fromEntries(found.filter(([, texts]) => texts !== undefined)) as Record<
    string,
    Texts
  >;
}

function flowsIn(
  folder: string,
  {
    read,
    wrong,
  }: {
    readonly read: (path: string) => string | undefined;
    readonly wrong: (path: string, message: string) => void;
  },
): Readonly<Record<string, FlowFile>> {
  const flows: Record<string, FlowFile> = {};
  for (const file of filesIn(join(folder, "flows")).filter((each) => FLOW_FILE.test(each))) {
    const path = `flows/${file}`;
    const name = file.replace(FLOW_FILE, "");
    const other = Object.hasOwn(flows, name) ? flows[name] : undefined;
    const text = read(path);
    if (other !== undefined) wrong(path, `${other.path} is of the same name`);
    else if (text !== undefined) flows[name] = { path, text };
  }
  return flows;
}

function textsBelow(
  folder: string,
  path: string,
  read: (path: string) => string | undefined,
): Texts {
  const found: [string, string][] = [];
  const visit = (here: string, depth: number): void => {
    for (const file of filesIn(join(folder, here))) {
      const text = read(`${here}/${file}`);
      if (text !== undefined) found.push([`${here}/${file}`, text]);
    }
    if (depth < MAX_DEPTH)
      for (const name of foldersIn(join(folder, here))) visit(`${here}/${name}`, depth + 1);
  };
  visit(path, 0);
  return Object.fromEntries(found);
}

function foldersIn(folder: string): readonly string[] {
  return entriesOf(folder, (entry) => entry.isDirectory());
}

function filesIn(folder: string): readonly string[] {
  return entriesOf(folder, (entry) => entry.isFile());
}

function entriesOf(
  folder: string,
  takes: (entry: { isFile(): boolean; isDirectory(): boolean }) => boolean,
): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith(".") && takes(entry))
    .map(({ name }) => name)
    .toSorted();
}

/** Undefined if the file is not valid UTF-8 text. */
function textOf(path: string): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      readFileSync(path),
    );
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Returns the files of skills for a crew's `skills: [name]`, without those that could be mistaken for the crew's own
 * files.
 */
export function skillFiles({ skills }: Pick<DefinitionFiles, "skills">): readonly {
  readonly skill: string;
  readonly path: string;
  readonly text: string;
}[] {
  return Object.entries(skills).flatMap(([skill, texts]) =>
    Object.entries(texts)
      .filter(([path]) => !CREW_ROOT.test(path))
      .map(([path, text]) => ({ skill, path, text })),
  );
}
