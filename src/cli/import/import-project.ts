// Converts a CrewAI project to files of an Edgecrew project. It runs no code, and reads and writes no files.
import type { JsonObject } from "../../base/json.ts";
import { checkOutput, type CheckedOutput } from "./check-output.ts";
import { copiedFiles, sharedFiles, type CopiedFiles } from "./copied-files.ts";
import { environmentFiles } from "./environment-files.ts";
import type { FoundFunction } from "./found-function.ts";
import { freeName } from "./free-name.ts";
import { codeFiles, flowName } from "./imported-code.ts";
import type { ImportReport } from "./import-report.ts";
import { makeReport } from "./make-report.ts";
import { namedFiles } from "./named-files.ts";
import type { OpenPlace } from "./open-places.ts";
import { projectCode, type ProjectCode } from "./project-code.ts";
import { decodedTexts, pythonSources } from "./project-texts.ts";
import { requiredKeys } from "./required-keys.ts";
import { pythonProjects } from "./python-project.ts";
import type { SourceFile } from "./source-file.ts";
import { writtenCrews, type WrittenCrews } from "./written-crews.ts";

/** A file to write. */
export type NewFile = { readonly path: string; readonly content: string | Uint8Array };

export type ImportOptions = {
  /** True if a class is a tool of the catalogue. */
  readonly isInCatalogue: (className: string) => boolean;
  /** Copies the values of `.env` into `.dev.vars`. @default false */
  readonly withEnv?: boolean;
  /** Open places from reading the folder. */
  readonly open?: readonly OpenPlace[];
  /** Unread files of the folder. */
  readonly others?: readonly string[];
  /** Name of crews in files such as `main.py`, unless `pyproject.toml` has one. */
  readonly name?: string | undefined;
};

export type Import = { readonly files: readonly NewFile[]; readonly report: ImportReport };

/** Undefined if the folder has neither a crew nor a flow. */
export function importProject(
  files: readonly SourceFile[],
  { isInCatalogue, withEnv = false, open: left = [], others = [], name }: ImportOptions,
): Import | undefined {
  const open: OpenPlace[] = [...left];
  const texts = decodedTexts(files, open);
  const sources = pythonSources(texts, open);
  const { projects, open: openProjects } = pythonProjects(texts);
  const project = projects.find(({ folder }) => folder === "")?.name ?? name;
  const code = projectCode(sources, { project });
  const names = new Set<string>();
  const crews = writtenCrews({ code, files, texts, isInCatalogue, names });
  const copies = copiedFiles(
    files.filter(({ path }) => !crews.used.has(path)),
    { nameFor: (wanted) => freeName(wanted, names), projects, code },
  );
  if (names.size === 0 && code.flows.length === 0 && copies.flows.length === 0) return undefined;

  const functions = new Map([...crews.functions, ...copies.functions]);
  const written = new Map<string, string | Uint8Array>([...crews.written, ...copies.written]);
  const isWritten = (bytes: Uint8Array): boolean => [...written.values()].includes(bytes);
  for (const [path, bytes] of sharedFiles(files, isWritten)) written.set(path, bytes);
  const typescript = importedCode(code, { crews, copies, functions });
  for (const [path, text] of typescript) written.set(`src/imported/${path}`, text);
  open.push(
    ...code.open.flows,
    ...code.open.crews,
    ...crews.open,
    ...openProjects,
    ...copies.open,
    ...namedFiles(crews.written, {
      others,
      sourceOf: (path) => crews.origins.get(path) ?? path,
    }),
    ...unlisted(functions.values(), [...code.open.flows, ...crews.open]),
    ...code.open.models,
    ...code.open.tools,
    ...code.tools.map(({ place }) => place),
  );
  const checked = checkedOutput(written, { files, code, crews, copies, functions });
  const built = [...names].filter((crew) => !checked.left.includes(`crews/${crew}`));
  const keys = requiredKeys(written, built);
  for (const [path, text] of environmentFiles(texts, { withEnv, keys })) written.set(path, text);
  const ofFunctions = [...functions.values()].flatMap(({ key }) => key ?? []);
  const report = makeReport({
    code,
    taken: new Set([...code.taken(), ...ofFunctions]),
    open: distinct([...open, ...checked.open]),
    leftOut: distinct(crews.leftOut),
    crews: [...names],
    flows: { imported: code.flows.map((flow) => flowName(flow.name)), copied: copies.flows },
    left: checked.left,
    keys,
    written,
    hasCode: typescript.size > 0,
    samples: samplesOf(code, crews),
  });
  return { files: [...written].map(([path, content]) => ({ path, content })), report };
}

/** Inputs of the project's scripts, by the names of the crews here. */
function samplesOf(
  { inputs }: ProjectCode,
  { names }: WrittenCrews,
): ReadonlyMap<string, JsonObject> {
  return new Map(
    [...names].flatMap(([crew, own]) => {
      const samples = inputs.get(crew)?.samples;
      return samples === undefined ? [] : [[own, samples] as const];
    }),
  );
}

/** Places without repetitions: crews share agents and functions. */
function distinct(places: readonly OpenPlace[]): readonly OpenPlace[] {
  const keyed = places.map((place): [string, OpenPlace] => {
    const { file, line, text, why } = place;
    return [[file, line, text, why].join("\n"), place];
  });
  return [...new Map(keyed).values()];
}

type Parts = {
  readonly crews: WrittenCrews;
  readonly copies: CopiedFiles;
  readonly functions: ReadonlyMap<string, FoundFunction>;
};

function importedCode(
  { models, tools, flows }: ProjectCode,
  { crews, copies, functions }: Parts,
): ReadonlyMap<string, string> {
  const inCode = new Set([
    ...tools.flatMap(({ uses }) => [...uses]),
    ...flows.flatMap(({ state }) => state ?? []),
    ...copies.aliases.values(),
  ]);
  return codeFiles({
    models,
    schemas: new Set(
      [...models.keys()].filter((name) => !crews.asData.has(name) || inCode.has(name)),
    ),
    aliases: copies.aliases,
    tools,
    functions: [...functions.values()],
    flows,
  });
}

function checkedOutput(
  written: Map<string, string | Uint8Array>,
  {
    files,
    code,
    crews,
    copies,
    functions,
  }: Parts & { readonly files: readonly SourceFile[]; readonly code: ProjectCode },
): CheckedOutput {
  const bySource = new Map(files.map(({ path, bytes }) => [bytes as string | Uint8Array, path]));
  const origins = new Map(
    [...written].map(([path, content]) => [
      path,
      crews.origins.get(path) ?? bySource.get(content) ?? path,
    ]),
  );
  return checkOutput({
    written,
    sourceOf: (path) => origins.get(path) ?? path,
    registered: new Set([...functions.keys(), ...code.models.keys(), ...copies.aliases.keys()]),
  });
}

/** Places of functions without another open place in their line. */
function unlisted(
  functions: Iterable<FoundFunction>,
  open: readonly OpenPlace[],
): readonly OpenPlace[] {
  const listed: OpenPlace[] = [];
  for (const { place } of functions) {
    const isListed = [...open, ...listed].some(
      ({ file, line }) => file === place.file && line === place.line && line > 0,
    );
    if (!isListed) listed.push(place);
  }
  return listed;
}
