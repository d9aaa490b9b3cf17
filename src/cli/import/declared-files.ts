// Crews and flows that are files without code, which are copied as they are.
import type { SourceFile } from "./import-project.ts";

/** A path to write, and its content. */
type Copy = readonly [path: string, bytes: Uint8Array];

/**
 * The copies of crews in `crew.jsonc`, of crews in `agents.yaml` and `tasks.yaml` that no class names, and of flows in `flow.yaml`.
 * `nameFor` finds a free name.
 */
export function declaredFiles(
  files: readonly SourceFile[],
  nameFor: (wanted: string) => string,
): readonly Copy[] {
  const agents = files.filter(({ path }) => /(^|\/)agents\.ya?ml$/.test(path));
  const classic = agents.flatMap((file) => classicCrew(file, { files, nameFor }));
  const used = new Set(classic.map(([, bytes]) => bytes));
  const declared = files
    .filter(({ path, bytes }) => /(^|\/)crew\.jsonc?$/.test(path) && !used.has(bytes))
    .flatMap((file) => declaredCrew(file, { files, nameFor }));
  return [...classic, ...declared, ...files.flatMap(flow)];
}

type Among = {
  readonly files: readonly SourceFile[];
  readonly nameFor: (wanted: string) => string;
};

function classicCrew(agents: SourceFile, { files, nameFor }: Among): readonly Copy[] {
  const folder = folderOf(agents.path);
  const beside = (pattern: RegExp, from: string): SourceFile | undefined =>
    files.find(({ path }) => path.startsWith(from) && pattern.test(path.slice(from.length)));
  const tasks = beside(/^tasks\.ya?ml$/, folder);
  if (tasks === undefined) return [];
  const above = folder.replace(/(^|\/)config\/$/, "$1");
  const crew = /^crew\.(jsonc?|ya?ml)$/;
  const own = beside(crew, folder) ?? beside(crew, above);
  const name = nameFor(folderName(above));
  return [
    [`crews/${name}/agents.yaml`, agents.bytes],
    [`crews/${name}/tasks.yaml`, tasks.bytes],
    ...(own === undefined
      ? []
      : [[`crews/${name}/${own.path.split("/").at(-1)}`, own.bytes] as const]),
  ];
}

/** With what lies below it: agents, skills, prompts. */
function declaredCrew({ path }: SourceFile, { files, nameFor }: Among): readonly Copy[] {
  const folder = folderOf(path);
  const name = nameFor(folderName(folder));
  return files
    .filter((each) => each.path.startsWith(folder))
    .map(({ path: each, bytes }): Copy => [each.slice(folder.length), bytes])
    .filter(
      ([each]) =>
        /^(crew\.jsonc?|agents\/.+|skills\/.+|[^/]+\.json)$/.test(each) && each !== "package.json",
    )
    .map(([each, bytes]): Copy => [`crews/${name}/${each}`, bytes]);
}

function flow({ path, bytes }: SourceFile): readonly Copy[] {
  if (!/(^|\/)flow\.ya?ml$/.test(path)) return [];
  return [[`flows/${folderName(folderOf(path), "flow")}.yaml`, bytes]];
}

/** With its slash at the end; empty for none. */
function folderOf(path: string): string {
  return path.replace(/[^/]*$/, "");
}

/** `src/Job_Posting/` as `job-posting`. */
function folderName(folder: string, none = "crew"): string {
  const last = folder.split("/").at(-2) ?? "";
  return (
    last
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || none
  );
}
