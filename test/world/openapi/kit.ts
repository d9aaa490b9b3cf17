// One run of schemathesis over some operations and phases.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment, pythonOf } from "../needs/python-environment.ts";
import type { PartContext } from "../part.ts";
import { ADMIN_KEY } from "./worker.ts";

export const schemathesis = pythonEnvironment({
  name: "schemathesis",
  what: "schemathesis 4.32.5 in a Python environment",
  requirements: new URL("../requirements/schemathesis.txt", import.meta.url),
  seconds: 10,
  megabytes: 120,
});

/** The kit reads streams of events that do not end for as long. */
const REQUEST_SECONDS = 10;

export type KitRun = {
  /** Address of the Worker, and the file of its description. */
  readonly url: string;
  readonly description: string;
  /** Ids of operations. Empty for all. */
  readonly only: readonly string[];
  readonly phases: readonly ("examples" | "coverage" | "fuzzing" | "stateful")[];
  /** Random requests of an operation at most, or chains of requests. */
  readonly examples: number;
  /** The kit is stopped then. With a limit of its own it would repeat the last phases until that is over. */
  readonly seconds: number;
  /** New folder for its report and its output. */
  readonly folder: string;
};

/** Runs it. The report's file; undefined where it wrote none. Its exit code says that it found something, which the report says better. */
export async function runKit(
  { url, description, only, phases, examples, seconds, folder }: KitRun,
  { folders, seed, signal }: Pick<PartContext, "folders" | "seed" | "signal">,
): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const command = join(dirname(pythonOf(folders[schemathesis.name] ?? "")), "schemathesis");
  const child = spawn(
    command,
    [
      ["run", description, "--url", url, "--header", `Authorization: Bearer ${ADMIN_KEY}`],
      ["--checks", "all", "--phases", phases.join(","), "--workers", "1", "--seed", String(seed)],
      ["--max-examples", String(examples), "--no-shrink", "--continue-on-failure"],
      ["--request-timeout", String(REQUEST_SECONDS), "--suppress-health-check", "all"],
      ["--generation-database", "none", "--report", "ndjson", "--report-dir", folder],
      only.flatMap((id) => ["--include-operation-id", id]),
    ].flat(),
    {
      cwd: folder,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: "hooks",
        PYTHONPATH: fileURLToPath(new URL(".", import.meta.url)),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = createWriteStream(join(folder, "kit.txt"));
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(kill, seconds * 1000);
  signal.addEventListener("abort", kill);
  await once(child, "close");
  clearTimeout(timer);
  signal.removeEventListener("abort", kill);
  output.end();
  const file = existsSync(folder)
    ? readdirSync(folder).find((name) => name.endsWith(".ndjson"))
    : undefined;
  return file === undefined ? undefined : join(folder, file);
}
