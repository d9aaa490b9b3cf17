// A CrewAI project as files of an Edgecrew project: nothing is run, and nothing is read or written here.
import type { JsonObject } from "../../base/json.ts";
import { crewClasses, crewScripts, type CrewClass } from "./crew-class.ts";
import { declaredFiles } from "./declared-files.ts";
import {
  crewFolder,
  entriesOf,
  type CrewFolder,
  type FunctionUse,
  type KnownCode,
} from "./crew-folder.ts";
import { codeFiles, flowName, type PythonFunction } from "./imported-code.ts";
import type { ImportReport, ReadFile } from "./import-report.ts";
import { openAt, openFile, type OpenPlace } from "./open-places.ts";
import { pythonFlows } from "./python-flows.ts";
import { closureOf, isData, schemaAlone } from "./model-schemas.ts";
import { pythonModels } from "./python-models.ts";
import { bodyOf, PythonSource } from "./python-source.ts";
import { pythonProjects } from "./python-project.ts";
import { pythonTools } from "./python-tools.ts";
import { asJson, readValue } from "./python-values.ts";

/** A file of the project, and where its path is. */
export type SourceFile = { readonly path: string; readonly bytes: Uint8Array };

/** A file to write. */
export type NewFile = { readonly path: string; readonly content: string | Uint8Array };

export type ImportOptions = {
  /** Whether a class is a tool of the catalogue. */
  readonly isInCatalogue: (className: string) => boolean;
  /** Copies the values of `.env` into `.dev.vars`. @default false */
  readonly withEnv?: boolean;
  /** Places that were left when the folder was read. */
  readonly open?: readonly OpenPlace[];
};

export type Import = { readonly files: readonly NewFile[]; readonly report: ImportReport };

/** Undefined where no crew and no flow was found. */
export function importProject(
  files: readonly SourceFile[],
  { isInCatalogue, withEnv = false, open: left = [] }: ImportOptions,
): Import | undefined {
  const open: OpenPlace[] = [...left];
  const texts = decoded(files, open);
  const sources = [...texts]
    .filter(([path]) => path.endsWith(".py"))
    .map(([path, text]) => new PythonSource(path, text))
    .filter((source) => {
      const isTooDeep = source.isTooDeep();
      if (isTooDeep) open.push(openFile(source.path, "is nested too deeply to be read"));
      return !isTooDeep;
    });
  for (const source of sources)
    for (const node of source.syntaxErrors())
      open.push(openAt(source, node, "is no Python: what stands around it may be missing"));

  const { models: allModels, open: openModels } = pythonModels(sources);
  const models = new Map(allModels.map((model) => [model.name, model]));
  const isModel = (name: string): boolean => models.has(name);
  const { tools, open: openTools } = pythonTools(sources, isModel);
  const flows = sources.flatMap((source) => {
    const read = pythonFlows(source, isModel);
    open.push(...read.open);
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
    const made = crewFolder(
      crew,
      {
        agents: { path: agents.path, text: agents.text ?? "" },
        tasks: { path: tasks.path, text: tasks.text ?? "" },
      },
      known,
    );
    open.push(...made.open);
    for (const shape of made.shapes)
      if (isData(shape, models)) for (const each of closureOf(shape, models)) asData.add(each);
    for (const [name, use] of made.functions)
      functions.set(name, functionOf(name, { use, sources, crew }));
    const name = freeName(made.name, names);
    const folder = `crews/${name}`;
    for (const [to, { path }] of [
      ["agents.yaml", agents],
      ["tasks.yaml", tasks],
    ] as const) {
      const file = files.find((each) => each.path === path);
      written.set(`${folder}/${to}`, file?.bytes ?? "{}\n");
    }
    const inputs = sampleInputs(sources, crew);
    written.set(`${folder}/crew.jsonc`, definitionText(crew, made, inputs));
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
  copied(files, written);
  for (const [path, text] of environment(texts, withEnv)) written.set(path, text);

  const inCode = [...tools.flatMap(({ uses }) => [...uses]), ...flows.map(({ state }) => state)];
  const code = codeFiles({
    models,
    schemas: new Set(
      [...models.keys()].filter((name) => !asData.has(name) || inCode.includes(name)),
    ),
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

  const report = reportOf({
    sources,
    open,
    classes,
    crews: [...names],
    flows: flows.map(({ name }) => flowName(name)),
    written: [...written.keys()],
    hasCode: code.size > 0,
  });
  return { files: [...written].map(([path, content]) => ({ path, content })), report };
}

/** Text as UTF-8, or as a file of Python says of itself. */
function decoded(files: readonly SourceFile[], open: OpenPlace[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { path, bytes } of files) {
    if (!/\.(py|ya?ml|jsonc?|toml)$|(^|\/)\.env$/.test(path)) continue;
    try {
      texts.set(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      const latin = new TextDecoder("latin1").decode(bytes);
      const [first = "", second = ""] = latin.split("\n");
      const says = /^[ \t\f]*#.*?coding[:=][ \t]*(latin-?1|iso-?8859-?1|cp1252)\b/i;
      if (path.endsWith(".py") && (says.test(first) || says.test(second))) texts.set(path, latin);
      else open.push(openFile(path, "is not UTF-8: convert it, and import again"));
    }
  }
  return texts;
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

function definitionText(
  crew: CrewClass,
  { definition, open }: CrewFolder,
  inputs: JsonObject | undefined,
): string {
  const places = [...crew.open, ...open].map(
    ({ file, line, why }) =>
      `// By hand: ${file}${line === 0 ? "" : `:${line}`}: ${why.replaceAll(/\s+/g, " ")}`,
  );
  const head = `// What ${crew.className} of ${crew.source.path} says beside its YAML.`;
  const value = inputs === undefined ? definition : { ...definition, inputs };
  return [
    ...[head, ...places].map((line) => line.replaceAll(/\s+/g, " ")),
    JSON.stringify(value, null, 2),
    "",
  ].join("\n");
}

/** `inputs = { … }` of literal values in the `main.py` beside the crew. */
function sampleInputs(
  sources: readonly PythonSource[],
  { source }: CrewClass,
): JsonObject | undefined {
  const folder = source.path.replace(/[^/]*$/, "");
  const main = sources.find(({ path }) => path === `${folder}main.py`);
  if (main === undefined) return undefined;
  const file = bodyOf(main, main.root);
  const bodies = [
    file,
    ...file.definitions
      .filter(({ kind }) => kind === "function")
      .map(({ node }) => bodyOf(main, node)),
  ];
  for (const { assignments } of bodies)
    for (const { name, value } of assignments) {
      if (name !== "inputs" || value === undefined) continue;
      const read = readValue(main, value);
      if (read.kind !== "dict") continue;
      const entries = read.entries.flatMap(([key, each]) => {
        const plain = asJson(each);
        return plain === undefined ? [] : [[key, plain] as const];
      });
      if (entries.length > 0) return Object.fromEntries(entries);
    }
  return undefined;
}

/** Crews of YAML alone whose tasks have no agents: some code of another form says these. */
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

/** `knowledge/` and `skills/`, wherever they lie in the project. */
function copied(files: readonly SourceFile[], written: Map<string, string | Uint8Array>): void {
  for (const { path, bytes } of files) {
    const found = /(?:^|\/)((?:knowledge|skills)\/.+)$/.exec(path)?.[1];
    const isCopied = [...written.values()].includes(bytes);
    if (found !== undefined && !found.endsWith(".py") && !isCopied) written.set(found, bytes);
  }
}

/** The variables of `.env` files: their names, and their values where these are asked for. */
function environment(
  texts: ReadonlyMap<string, string>,
  withEnv: boolean,
): readonly (readonly [string, string])[] {
  const all = [...texts].filter(([path]) => /(^|\/)\.env$/.test(path)).map(([, text]) => text);
  const lines = all.flatMap((text) => text.split(/\r\n?|\n/));
  const pairs = lines.flatMap((line) => {
    const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
  if (pairs.length === 0) return [];
  const values = new Map(pairs);
  const example = [...values.keys()].map((name) => `${name}=\n`).join("");
  const kept = [...values].map(([name, value]) => `${name}=${value}\n`).join("");
  return [[".dev.vars.example", example], ...(withEnv ? [[".dev.vars", kept] as const] : [])];
}

type FoundFunction = PythonFunction & { readonly place: OpenPlace };

/** A function by its name, in any file: a method as well. */
function functionOf(
  name: string,
  {
    use,
    sources,
    crew,
  }: {
    readonly use: FunctionUse;
    readonly sources: readonly PythonSource[];
    readonly crew: CrewClass;
  },
): FoundFunction {
  const why = `a function of yours: write \`${name}\` in TypeScript`;
  for (const source of [crew.source, ...sources]) {
    const file = bodyOf(source, source.root);
    const inClasses = file.definitions
      .filter(({ kind }) => kind === "class")
      .flatMap(({ node }) => bodyOf(source, node).definitions);
    const found = [...file.definitions, ...inClasses].find(
      (each) => each.kind === "function" && each.name === name,
    );
    if (found === undefined) continue;
    const python = source.textOf(found.node);
    const place = { ...openAt(source, found.node, why), text: python.split(/\r?\n/)[0] ?? "" };
    return { name, use, python, place };
  }
  return { name, use, python: undefined, place: openFile(crew.source.path, why) };
}

function reportOf({
  sources,
  open,
  classes,
  crews,
  flows,
  written,
  hasCode,
}: {
  readonly sources: readonly PythonSource[];
  readonly open: readonly OpenPlace[];
  readonly classes: readonly CrewClass[];
  readonly crews: readonly string[];
  readonly flows: readonly string[];
  readonly written: readonly string[];
  readonly hasCode: boolean;
}): ImportReport {
  const paths = new Set([...sources.map(({ path }) => path), ...open.map(({ file }) => file)]);
  const known = new Set(sources.map(({ path }) => path));
  const files = [...paths].toSorted().map((path): ReadFile => {
    const places = open.filter(({ file }) => file === path).toSorted((a, b) => a.line - b.line);
    const read = places.length === 0 ? "whole" : known.has(path) ? "in part" : "by hand";
    return { path, read, open: places };
  });
  const sum = (of: (crew: CrewClass) => number): number =>
    classes.reduce((all, crew) => all + of(crew), 0);
  return {
    files,
    crews,
    flows,
    methods: { all: sum(({ methods }) => methods.all), whole: sum(({ methods }) => methods.whole) },
    open: open.length,
    written,
    next: [
      ...(hasCode
        ? [
            'In `src/worker.ts`: `import { imported } from "./imported/index.ts"`, and `defineApp({ ...imported })`',
          ]
        : []),
      "`npx edgecrew dev`",
      `\`npx edgecrew run ${crews[0] ?? flows[0] ?? ""}\``,
      "`npx edgecrew doctor`",
    ].slice(0, 3),
  };
}
