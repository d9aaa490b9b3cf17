// The files of a project that define things: crews/*/, flows/*.yaml and skills/*/.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Texts by path from the project's folder, with `/` on every system. */
export type Texts = Readonly<Record<string, string>>;

/** What a project's folders hold, by the names that runs are started by. */
export type DefinitionFiles = {
  /** The files of each folder in `crews/`. */
  readonly crews: Readonly<Record<string, Texts>>;
  /** The one file of each flow. */
  readonly flows: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
  /** The files of each folder in `skills/`. */
  readonly skills: Readonly<Record<string, Texts>>;
};

/** The folders that are read; a change below them is a change of the definitions. */
export const DEFINITION_FOLDERS = ["crews", "flows", "skills"] as const;

const CREW_FILE = /\.(ya?ml|jsonc?|md|txt)$/i;
const CREW_ROOT = /\/(crew\.jsonc?|crew\.ya?ml|agents\.ya?ml)$/;
const FLOW_FILE = /\.(ya?ml|json)$/i;
const MAX_DEPTH = 8;

/** Reads them. Links are not followed, hidden files are left out, and so is what is no text. */
export function readDefinitionFiles(folder: string): DefinitionFiles {
  const named = (kind: string): readonly string[] => foldersIn(join(folder, kind));
  const crews = named("crews").map((name) => [
    name,
    textsBelow(folder, `crews/${name}`, (path) => CREW_FILE.test(path)),
  ]);
  const skills = named("skills").map((name) => [
    name,
    textsBelow(folder, `skills/${name}`, () => true),
  ]);
  const flows = filesIn(join(folder, "flows"))
    .filter((file) => FLOW_FILE.test(file))
    .map((file) => {
      const path = `flows/${file}`;
      return [file.replace(FLOW_FILE, ""), { path, text: textOf(join(folder, path)) ?? "" }];
    });
  const isCrew = (texts: Texts): boolean =>
    Object.keys(texts).some((path) => CREW_ROOT.test(path) || path.endsWith("/tasks.yaml"));
  return {
    crews: Object.fromEntries(crews.filter(([, texts]) => isCrew(texts as Texts))) as never,
    flows: Object.fromEntries(flows) as never,
    skills: Object.fromEntries(
      skills.filter(([name, texts]) => `skills/${String(name)}/SKILL.md` in (texts as Texts)),
    ) as never,
  };
}

function textsBelow(folder: string, path: string, takes: (path: string) => boolean): Texts {
  const found: [string, string][] = [];
  const visit = (here: string, depth: number): void => {
    for (const file of filesIn(join(folder, here))) {
      const text = takes(file) ? textOf(join(folder, here, file)) : undefined;
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

/** Undefined for what is no UTF-8. */
function textOf(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
