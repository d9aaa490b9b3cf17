// Copies crews and flows in files without code.
import type { PythonProject } from "./python-project.ts";
import type { SourceFile } from "./source-file.ts";

/** A path to write, and its content. */
type Copy = readonly [path: string, bytes: Uint8Array];

/**
 * Returns copies of crews in `crew.jsonc`, of crews in `agents.yaml` and `tasks.yaml` without a class, of flows in
 * `flow.yaml`, and of the definitions that projects name. `nameFor` finds a free name.
 */
export function declaredFiles(
  files: readonly SourceFile[],
  { nameFor, projects }: Omit<Among, "files">,
): readonly Copy[] {
  const named = new Map(
    projects.flatMap(({ definition: each }) => (each ? [[each.path, each.type]] : [])),
  );
  const agents = files.filter(({ path }) => /(^|\/)agents\.ya?ml$/.test(path));
  const classic = agents.flatMap((file) => classicCrew(file, { files, nameFor, projects }));
  const used = new Set(classic.map(([, bytes]) => bytes));
  const declared = files
    .filter(
      ({ path, bytes }) =>
        (named.get(path) === "crew" || /(^|\/)crew\.jsonc?$/.test(path)) && !used.has(bytes),
    )
    .flatMap((file) => declaredCrew(file, { files, nameFor, projects }));
  const flows = files.filter(
    ({ path }) => named.get(path) === "flow" || /(^|\/)flow\.ya?ml$/.test(path),
  );
  const flowNames = new Set<string>();
  return [...classic, ...declared, ...flows.map((file) => flow(file, { projects, flowNames }))];
}

type Among = {
  readonly files: readonly SourceFile[];
  readonly nameFor: (wanted: string) => string;
  readonly projects: readonly PythonProject[];
};

function classicCrew(agents: SourceFile, { files, nameFor, projects }: Among): readonly Copy[] {
  const folder = folderOf(agents.path);
  const beside = (pattern: RegExp, from: string): SourceFile | undefined =>
    files.find(({ path }) => path.startsWith(from) && pattern.test(path.slice(from.length)));
  const tasks = beside(/^tasks\.ya?ml$/, folder);
  if (tasks === undefined) return [];
  const above = folder.replace(/(^|\/)config\/$/, "$1");
  const crew = /^crew\.(jsonc?|ya?ml)$/;
  const own = beside(crew, folder) ?? beside(crew, above);
  const name = nameFor(folderName(above, projects));
  return [
    [`crews/${name}/agents.yaml`, agents.bytes],
    [`crews/${name}/tasks.yaml`, tasks.bytes],
    ...(own === undefined
      ? []
      : [[`crews/${name}/${own.path.split("/").at(-1)}`, own.bytes] as const]),
  ];
}

/** Includes the files below it: agents, skills, prompts. */
function declaredCrew({ path }: SourceFile, { files, nameFor, projects }: Among): readonly Copy[] {
  const folder = folderOf(path);
  const name = nameFor(folderName(folder, projects));
  return files
    .filter((each) => each.path.startsWith(folder))
    .map(({ path: each, bytes }): Copy => {
      const below = each.slice(folder.length);
      return [each === path ? `crew${/\.\w+$/.exec(below)?.[0] ?? ".jsonc"}` : below, bytes];
    })
    .filter(
      ([each]) =>
        /^(crew\.(jsonc?|ya?ml)|agents\/.+|skills\/.+|[^/]+\.json)$/.test(each) &&
        each !== "package.json",
    )
    .map(([each, bytes]): Copy => [`crews/${name}/${each}`, bytes]);
}

function flow(
  { path, bytes }: SourceFile,
  { projects, flowNames }: Pick<Among, "projects"> & { readonly flowNames: Set<string> },
): Copy {
  const wanted = folderName(folderOf(path), projects, "flow");
  let name = wanted;
  for (let count = 2; flowNames.has(name); count += 1) name = `${wanted}-${count}`;
  flowNames.add(name);
  return [`flows/${name}.yaml`, bytes];
}

/** Returns the folder with its slash at the end, or an empty text. */
function folderOf(path: string): string {
  return path.replace(/[^/]*$/, "");
}

/** `src/Job_Posting/` as `job-posting`; without a folder, the name of the project. */
function folderName(folder: string, projects: readonly PythonProject[], none = "crew"): string {
  const project = projects.find((each) => each.folder === "")?.name;
  return plainName(folder.split("/").at(-2) ?? project ?? "") || none;
}

function plainName(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-+|-+$/g, "");
}
