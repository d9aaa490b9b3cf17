// Files that an import copies as they are: crews and flows without code, knowledge, skills.
import { declaredFiles } from "./declared-files.ts";
import { entriesOf } from "./crew-folder.ts";
import { foundFunction, type FoundFunction } from "./found-function.ts";
import { openFile, type OpenPlace } from "./open-places.ts";
import type { ProjectCode } from "./project-code.ts";
import type { PythonProject } from "./python-project.ts";
import { pythonReferences } from "./python-references.ts";
import type { SourceFile } from "./source-file.ts";

export type CopiedFiles = {
  readonly written: ReadonlyMap<string, Uint8Array>;
  /** Names of copied flows. */
  readonly flows: readonly string[];
  /** Code that copied crews name by Python paths. */
  readonly functions: ReadonlyMap<string, FoundFunction>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly open: readonly OpenPlace[];
};

export function copiedFiles(
  files: readonly SourceFile[],
  {
    nameFor,
    projects,
    code,
  }: {
    readonly nameFor: (wanted: string) => string;
    readonly projects: readonly PythonProject[];
    readonly code: ProjectCode;
  },
): CopiedFiles {
  const copies = declaredFiles(files, { nameFor, projects });
  const functions = new Map<string, FoundFunction>();
  const aliases = new Map<string, string>();
  for (const [path, bytes] of copies) {
    if (!path.startsWith("crews/")) continue;
    const file = files.find((each) => each.bytes === bytes)?.path ?? path;
    for (const { name, last, use } of pythonReferences(file, new TextDecoder().decode(bytes))) {
      if (use === "schema") {
        if (code.models.has(last)) aliases.set(name, last);
      } else functions.set(name, foundFunction(name, { use, sources: code.sources, file, last }));
    }
  }
  return {
    written: new Map(copies),
    flows: copies.flatMap(([path]) => /^flows\/([^/]+)\.yaml$/.exec(path)?.[1] ?? []),
    functions,
    aliases,
    open: withoutAgents(copies, files),
  };
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

/** Returns the files of `knowledge/` and `skills/` at any place in the project, by their new paths. */
export function sharedFiles(
  files: readonly SourceFile[],
  isWritten: (bytes: Uint8Array) => boolean,
): ReadonlyMap<string, Uint8Array> {
  return new Map(
    files.flatMap(({ path, bytes }): (readonly [string, Uint8Array])[] => {
      const found = /(?:^|\/)((?:knowledge|skills)\/.+)$/.exec(path)?.[1];
      const isCopied = found !== undefined && !found.endsWith(".py") && !isWritten(bytes);
      return isCopied ? [[found, bytes]] : [];
    }),
  );
}
