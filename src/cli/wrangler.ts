import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { wrongUse } from "./cli-failure.ts";
import type { Processes, RunningProgram } from "./processes.ts";

/** Settings of a wrangler process. */
export type WranglerOptions = {
  readonly processes: Processes;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly onText: (text: string) => void;
};

/** Version used in this package's tests. */
export const TESTED_WRANGLER = "4.155.0";

/** Starts the project's own wrangler. Throws exit code 2 without one. */
export function startWrangler(
  folder: string,
  args: readonly string[],
  { processes, variables, onText }: WranglerOptions,
): RunningProgram {
  return processes.startNode([wranglerOf(folder), ...args], {
    cwd: folder,
    onText,
    variables: {
      ...variables,
      CI: "true", // no questions: a fresh database is simply migrated
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      // Wrangler traces every SQL statement of a local run for its explorer, which costs more than the statement.
      X_LOCAL_OBSERVABILITY: "false",
      // Wrangler is one file of 15 MB: a quarter of its start is spent on compiling it.
      NODE_COMPILE_CACHE:
        variables["NODE_COMPILE_CACHE"] ?? join(folder, "node_modules/.cache/edgecrew/compiled"),
      // The project's `build` command is found as it is under npm.
      PATH: [join(folder, "node_modules", ".bin"), variables["PATH"] ?? ""].join(delimiter),
    },
  });
}

function wranglerOf(folder: string): string {
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve("wrangler/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { wrangler: string } };
    const path = join(manifest, "..", bin.wrangler);
    if (existsSync(path)) return path;
  } catch {}
  throw wrongUse(`${folder} has no wrangler`, `npm install --save-dev wrangler@${TESTED_WRANGLER}`);
}
