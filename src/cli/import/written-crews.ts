// Files of the crews that a project's code makes.
import type { CrewClass } from "./crew-class.ts";
import type { KnownCode } from "./code-lookup.ts";
import { crewFolder } from "./crew-folder.ts";
import { definitionText } from "./definition-text.ts";
import { foundFunction, type FoundFunction } from "./found-function.ts";
import { freeName } from "./free-name.ts";
import { closureOf, isData, schemaAlone } from "./model-schemas.ts";
import { openFile, type OpenPlace } from "./open-places.ts";
import type { ProjectCode } from "./project-code.ts";
import type { SourceFile } from "./source-file.ts";

export type WrittenCrews = {
  /** Contents by path. */
  readonly written: ReadonlyMap<string, string | Uint8Array>;
  /** Source files by written path. */
  readonly origins: ReadonlyMap<string, string>;
  /** The name of each crew here. */
  readonly names: ReadonlyMap<CrewClass, string>;
  /** YAML that crews read. */
  readonly used: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, FoundFunction>;
  /** Models that became data. */
  readonly asData: ReadonlySet<string>;
  readonly open: readonly OpenPlace[];
  /** Code without an effect here. */
  readonly leftOut: readonly OpenPlace[];
};

export type CrewSources = {
  readonly code: ProjectCode;
  readonly files: readonly SourceFile[];
  readonly texts: ReadonlyMap<string, string>;
  readonly isInCatalogue: (className: string) => boolean;
  /** Names of crews so far; those of these crews are added. */
  readonly names: Set<string>;
};

export function writtenCrews(passed: CrewSources): WrittenCrews {
  const { code, names } = passed;
  const crews = code.crews.map((crew) => writtenCrew(crew, passed));
  const named = new Map<CrewClass, string>();
  const written = new Map<string, string | Uint8Array>();
  const origins = new Map<string, string>();
  for (const { crew, name: wanted, files } of crews) {
    const name = freeName(wanted, names);
    named.set(crew, name);
    for (const { path, content, origin } of files) {
      written.set(`crews/${name}/${path}`, content);
      origins.set(`crews/${name}/${path}`, origin);
    }
  }
  return {
    written,
    origins,
    names: named,
    used: new Set(crews.flatMap(({ used }) => used)),
    functions: new Map(crews.flatMap(({ functions }) => functions)),
    asData: new Set(crews.flatMap(({ asData }) => asData)),
    open: crews.flatMap(({ open }) => open),
    leftOut: code.crews.flatMap(({ leftOut }) => leftOut),
  };
}

type CrewFile = {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly origin: string;
};

type WrittenCrew = {
  readonly crew: CrewClass;
  readonly name: string;
  readonly files: readonly CrewFile[];
  readonly used: readonly string[];
  readonly functions: readonly (readonly [string, FoundFunction])[];
  readonly asData: readonly string[];
  readonly open: readonly OpenPlace[];
};

function writtenCrew(crew: CrewClass, passed: CrewSources): WrittenCrew {
  const { code, files, texts, isInCatalogue } = passed;
  const agents = configFile(crew, crew.agentsFile, texts);
  const tasks = configFile(crew, crew.tasksFile, texts);
  const missing = [
    { file: agents, parts: crew.agents },
    { file: tasks, parts: crew.tasks },
  ].flatMap(({ file: { path, text }, parts }) =>
    text === undefined && [...parts.values()].some(({ config }) => config !== undefined)
      ? [openFile(path, `is missing: ${crew.className} names it`)]
      : [],
  );
  const folder = crewFolder(
    crew,
    {
      agents: { path: agents.path, text: agents.text ?? "" },
      tasks: { path: tasks.path, text: tasks.text ?? "" },
    },
    knownCode(code, isInCatalogue),
  );
  const inputs = code.inputs.get(crew);
  const yaml = (path: string, from: string, isWhole: boolean): CrewFile => {
    const file = isWhole ? undefined : files.find((each) => each.path === from);
    return { path, content: file?.bytes ?? "{}\n", origin: file?.path ?? crew.source.path };
  };
  return {
    crew,
    name: folder.name,
    files: [
      yaml("agents.yaml", agents.path, folder.isWhole.agents),
      yaml("tasks.yaml", tasks.path, folder.isWhole.tasks),
      {
        path: "crew.jsonc",
        content: definitionText(crew, folder, inputs),
        origin: crew.source.path,
      },
    ],
    used: [agents.path, tasks.path],
    functions: [...folder.functions].map(([name, use]) => {
      const sources = [crew.source, ...code.sources];
      return [name, foundFunction(name, { use, sources, file: crew.source.path })] as const;
    }),
    asData: [...folder.shapes].flatMap((shape) =>
      isData(shape, code.models) ? [...closureOf(shape, code.models)] : [],
    ),
    open: [...crew.open, ...missing, ...folder.open, ...(inputs?.open ?? [])],
  };
}

function knownCode(
  { tools, models }: ProjectCode,
  isInCatalogue: (className: string) => boolean,
): KnownCode {
  return {
    tools: new Map(tools.map(({ className, name }) => [className, name])),
    shapes: new Set(models.keys()),
    schemaOf: (name) => (isData(name, models) ? schemaAlone(name, models) : undefined),
    isInCatalogue,
  };
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
  if (texts.has(path)) return { path, text: texts.get(path) };
  // Some projects run from their top folder, with the paths of its files.
  const plain = named.replaceAll("\\", "/").replace(/^(\.\.?\/)+/, "");
  const others = [...texts.keys()].filter((each) => each === plain || each.endsWith(`/${plain}`));
  const [other] = others;
  return others.length === 1 && other !== undefined
    ? { path: other, text: texts.get(other) }
    : { path, text: undefined };
}
