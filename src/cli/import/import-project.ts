// Converts a CrewAI project to files of an Edgecrew project. It runs no code, and reads and writes no files.
import { checkOutput } from "./check-output.ts";
import { crewClasses, crewScripts, type CrewClass } from "./crew-class.ts";
import { declaredFiles } from "./declared-files.ts";
import { crewFolder, entriesOf, type KnownCode } from "./crew-folder.ts";
import { codeFiles, flowName } from "./imported-code.ts";
import type { ImportReport } from "./import-report.ts";
import { openFile, type OpenPlace } from "./open-places.ts";
import { computedInputs, definitionText } from "./definition-text.ts";
import { environmentFiles } from "./environment-files.ts";
import { foundFunction, type FoundFunction } from "./found-function.ts";
import { makeReport } from "./make-report.ts";
import { decodedTexts, pythonSources } from "./project-texts.ts";
import { pythonFlows } from "./python-flows.ts";
import { closureOf, isData, schemaAlone } from "./model-schemas.ts";
import { pythonModels } from "./python-models.ts";
import { pythonProjects } from "./python-project.ts";
import { pythonReferences } from "./python-references.ts";
import { pythonTools } from "./python-tools.ts";
import type { SourceFile } from "./source-file.ts";
import { untaken } from "./untaken-files.ts";

/** A file to write. */
export type NewFile = { readonly path: string; readonly content: string | Uint8Array };

export type ImportOptions = {
  /** True if a class is a tool of the catalogue. */
  readonly isInCatalogue: (className: string) => boolean;
  /** Copies the values of `.env` into `.dev.vars`. @default false */
  readonly withEnv?: boolean;
  /** Open places from reading the folder. */
  readonly open?: readonly OpenPlace[];
};

export type Import = { readonly files: readonly NewFile[]; readonly report: ImportReport };

/** Undefined if the folder has neither a crew nor a flow. */
export function importProject(
  files: readonly SourceFile[],
  { isInCatalogue, withEnv = false, open: left = [] }: ImportOptions,
): Import | undefined {
  const open: OpenPlace[] = [...left];
  const texts = decodedTexts(files, open);
  const sources = pythonSources(texts, open);
  const { models: allModels, open: openModels } = pythonModels(sources);
  const models = new Map(allModels.map((model) => [model.name, model]));
  const isModel = (name: string): boolean => models.has(name);
  const { tools, open: openTools } = pythonTools(sources, isModel);
  const flowFiles = new Set<string>();
  const flows = sources.flatMap((source) => {
    const read = pythonFlows(source, isModel);
    open.push(...read.open);
    if (read.flows.length > 0) flowFiles.add(source.path);
    return read.flows;
  });
  const known: KnownCode = {
    tools: new Map(tools.map(({ className, name }) => [className, name])),
    shapes: new Set(models.keys()),
    schemaOf: (name) => (isData(name, models) ? schemaAlone(name, models) : undefined),
    isInCatalogue,
  };

  const written = new Map<string, string | Uint8Array>();
  const classes = sources.flatMap((source) => {
    const found = crewClasses(source, sources);
    return found.length > 0 ? found : crewScripts(source);
  });
  const asData = new Set<string>();
  /** Source files of written files, by path. */
  const made = new Map<string, string>();
  const names = new Set<string>();
  const functions = new Map<string, FoundFunction>();
  for (const crew of classes) {
    open.push(...crew.open);
    const agents = configFile(crew, crew.agentsFile, texts);
    const tasks = configFile(crew, crew.tasksFile, texts);
    for (const [{ path, text }, parts] of [
      [agents, crew.agents],
      [tasks, crew.tasks],
    ] as const)
      if (text === undefined && [...parts.values()].some(({ config }) => config !== undefined))
        open.push(openFile(path, `is missing: ${crew.className} names it`));
    const crewData = crewFolder(
      crew,
      {
        agents: { path: agents.path, text: agents.text ?? "" },
        tasks: { path: tasks.path, text: tasks.text ?? "" },
      },
      known,
    );
    open.push(...crewData.open);
    for (const shape of crewData.shapes)
      if (isData(shape, models)) for (const each of closureOf(shape, models)) asData.add(each);
    for (const [name, use] of crewData.functions)
      functions.set(
        name,
        foundFunction(name, {
          use,
          sources: [crew.source, ...sources],
          file: crew.source.path,
        }),
      );
    const name = freeName(crewData.name, names);
    const folder = `crews/${name}`;
    for (const [to, { path }] of [
      ["agents.yaml", agents],
      ["tasks.yaml", tasks],
    ] as const) {
      const file = files.find((each) => each.path === path);
      written.set(`${folder}/${to}`, file?.bytes ?? "{}\n");
      made.set(`${folder}/${to}`, file?.path ?? crew.source.path);
    }
    made.set(`${folder}/crew.jsonc`, crew.source.path);
    open.push(...computedInputs(sources, crew));
    written.set(`${folder}/crew.jsonc`, definitionText(crew, crewData, sources));
  }
  const used = new Set(
    classes.flatMap((crew) =>
      [crew.agentsFile, crew.tasksFile].map((file) => configFile(crew, file, texts).path),
    ),
  );
  const unused = files.filter(({ path }) => !used.has(path));
  const { projects, open: openProjects } = pythonProjects(texts);
  open.push(...openProjects);
  const nameFor = (wanted: string): string => freeName(wanted, names);
  const copies = declaredFiles(unused, { nameFor, projects });
  for (const [path, content] of copies) written.set(path, content);
  open.push(...withoutAgents(copies, unused));
  const aliases = new Map<string, string>();
  for (const [path, bytes] of copies) {
    const file = unused.find((each) => each.bytes === bytes)?.path ?? path;
    const text = new TextDecoder().decode(bytes);
    if (!path.startsWith("crews/")) continue;
    for (const { name, last, use } of pythonReferences(file, text)) {
      if (use !== "schema") functions.set(name, foundFunction(name, { use, sources, file, last }));
      else if (models.has(last)) aliases.set(name, last);
    }
  }
  copied(files, written);
  for (const [path, text] of environmentFiles(texts, withEnv)) written.set(path, text);

  const inCode = [...tools.flatMap(({ uses }) => [...uses]), ...flows.map(({ state }) => state)];
  const code = codeFiles({
    models,
    schemas: new Set(
      [...models.keys()].filter(
        (name) =>
          !asData.has(name) || inCode.includes(name) || [...aliases.values()].includes(name),
      ),
    ),
    aliases,
    tools,
    functions: [...functions.values()],
    flows,
  });
  for (const [name, text] of code) written.set(`src/imported/${name}`, text);
  for (const { place } of functions.values())
    if (!open.some(({ file, line }) => file === place.file && line === place.line && line > 0))
      open.push(place);
  open.push(...openModels, ...openTools, ...tools.map(({ place }) => place));
  if (
    names.size === 0 &&
    flows.length === 0 &&
    ![...written.keys()].some((path) => path.startsWith("flows/"))
  )
    return undefined;

  const bySource = new Map(files.map(({ path, bytes }) => [bytes as string | Uint8Array, path]));
  const origins = new Map(
    [...written].map(([path, content]) => [path, made.get(path) ?? bySource.get(content) ?? path]),
  );
  const checked = checkOutput({
    written,
    sourceOf: (path) => origins.get(path) ?? path,
    registered: new Set([...functions.keys(), ...models.keys(), ...aliases.keys()]),
  });
  open.push(...checked.open);
  const taken = new Set([
    ...classes.flatMap((crew) => [...crew.files]),
    ...tools.map(({ place }) => place.file),
    ...flowFiles,
  ]);
  const isBuilt = (path: string): boolean => !checked.left.includes(path);
  const declared = [...copies].flatMap(([path]) => /^flows\/([^/]+)\.yaml$/.exec(path)?.[1] ?? []);
  const report = makeReport({
    sources,
    open: [...open, ...untaken(sources, taken)],
    classes,
    crews: [...names].filter((name) => isBuilt(`crews/${name}`)),
    flows: [
      ...flows.map(({ name }) => flowName(name)),
      ...declared.filter((name) => isBuilt(`flows/${name}.yaml`)),
    ],
    left: checked.left,
    written: [...written.keys()],
    hasCode: code.size > 0,
  });
  return { files: [...written].map(([path, content]) => ({ path, content })), report };
}

function configFile(
  { source }: CrewClass,
  named: string,
  texts: ReadonlyMap<string, string>,
): { readonly path: string; readonly text: string | undefined } {
  const folder = source.path.split("/").slice(0, -1);
  for (const part of named.replaceAll("\\", "/").split("/")) {
    if (part === "..") folder.pop();
    else if (part !== "." && part !== "") folder.push(part);
  }
  const path = folder.join("/");
  return { path, text: texts.get(path) };
}

function freeName(wanted: string, names: Set<string>): string {
  let name = wanted;
  for (let count = 2; names.has(name); count += 1) name = `${wanted}-${count}`;
  names.add(name);
  return name;
}

/** Reports crews of YAML alone with tasks without agents: unrecognised code assigns these. */
function withoutAgents(
  copies: readonly (readonly [string, Uint8Array])[],
  files: readonly SourceFile[],
): readonly OpenPlace[] {
  const paths = copies.map(([path]) => path);
  return copies.flatMap(([path, bytes]): OpenPlace[] => {
    const folder = /^(crews\/[^/]+\/)tasks\.yaml$/.exec(path)?.[1];
    if (folder === undefined || paths.some((each) => each.startsWith(`${folder}crew.`))) return [];
    const { path: from = path } = files.find((file) => file.bytes === bytes) ?? {};
    const tasks = entriesOf({ path: from, text: new TextDecoder().decode(bytes) }, []);
    const bare = [...tasks].filter(([, { agent = null }]) => agent === null).map(([name]) => name);
    const why = `no class with @CrewBase names this file, and these tasks have no agent: ${bare.join(", ")}`;
    return bare.length === 0 ? [] : [openFile(from, why)];
  });
}

/** Copies `knowledge/` and `skills/` from any place in the project. */
function copied(files: readonly SourceFile[], written: Map<string, string | Uint8Array>): void {
  for (const { path, bytes } of files) {
    const found = /(?:^|\/)((?:knowledge|skills)\/.+)$/.exec(path)?.[1];
    const isCopied = [...written.values()].includes(bytes);
    if (found !== undefined && !found.endsWith(".py") && !isCopied) written.set(found, bytes);
  }
}
