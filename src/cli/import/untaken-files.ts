// Finds files with agents, tasks or crews in an unsupported form.
import { hideSecrets } from "./hide-secrets.ts";
import type { OpenPlace } from "./open-places.ts";
import type { PythonSource } from "./python-source.ts";

const MAKES = /^(?!\s*#).*\b(Agent|Task|ConditionalTask|Crew)\(\s*(?:$|[a-z_*])/;

/** Returns the first line of each kind of part in such a file. */
export function untaken(
  sources: readonly PythonSource[],
  taken: ReadonlySet<string>,
): readonly OpenPlace[] {
  return sources
    .filter(({ path }) => !taken.has(path))
    .flatMap(({ path, text }) => {
      const found = new Map<string, OpenPlace>();
      for (const [at, line] of text.split(/\r?\n/).entries()) {
        const part = MAKES.exec(line)?.[1];
        if (part === undefined || found.has(part)) continue;
        const why = `this file is not read: write the crew of \`${part}(…)\` as a crew.jsonc`;
        found.set(part, {
          file: path,
          line: at + 1,
          text: hideSecrets(line).trim().slice(0, 200),
          why,
        });
      }
      return [...found.values()];
    });
}
