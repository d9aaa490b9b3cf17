// Finds the files that a piece of work was given, and what they are, before the work begins.
//
//   RFS1. All files are found in one step, which records what they are and where, never what is in them.
//   RFS2. A file that cannot be had ends the work before it has cost anything, and is named.
//   RFS3. What is in this process only, and what has to be loaded, is kept in the run's workspace. What a provider may load by itself
//         stays where it is.
//   RFS4. An address of a private network is refused, and so is one that leads there.
import { loadPart } from "../base/load-part.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunFile } from "./file-ref.ts";
import type { FileSource } from "./file-source.ts";

/** A source with the name that agents use for its file. */
export type NamedSource = { readonly key: string; readonly source: FileSource };

/** The files of these sources, in their order. Throws what keeps one of them from being had, naming it. */
export async function resolveFiles(
  place: RunScope,
  sources: readonly NamedSource[],
): Promise<readonly RunFile[]> {
  if (sources.length === 0) return [];
  return place.step<readonly RunFile[]>({
    kind: "effect",
    run: async ({ signal }, inside) => {
      const { findFile } = await loadPart(() => import("./find-file.ts"));
      const found: RunFile[] = [];
      for (const each of sources)
        // oxlint-disable-next-line no-await-in-loop -- one at a time is in memory
        found.push(await findFile(inside, { ...each, signal }));
      return found;
    },
  });
}
