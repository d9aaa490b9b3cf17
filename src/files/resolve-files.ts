// Finds the files of a piece of work and their types, before the work begins.
//
//   RFS1. All files are found in one step, which records their types and places, never their contents.
//   RFS2. A missing file ends the work before it has cost anything. The error names the file.
//   RFS3. Files of this process and loaded files are kept in the run's workspace. A file that a provider may load
//         itself stays at its place.
//   RFS4. An address of a private network is refused, and so is an address that leads there.
import { loadPart } from "../base/load-part.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunFile } from "./file-ref.ts";
import type { NamedSource } from "./file-source.ts";
import { recordFiles } from "./named-files.ts";

/** Returns the files of these sources, in order. Throws an error with the name of the first unavailable file. */
export async function resolveFiles(
  place: RunScope,
  sources: readonly NamedSource[],
): Promise<readonly RunFile[]> {
  if (sources.length === 0) return [];
  const files = await place.step<readonly RunFile[]>({
    kind: "effect",
    run: async ({ signal }, inside) => {
      const { findFile } = await loadPart(() => import("./find-file.ts"));
      const found: RunFile[] = [];
      for (const each of sources) found.push(await findFile(inside, { ...each, signal }));
      return found;
    },
  });
  recordFiles(place, files);
  return files;
}
