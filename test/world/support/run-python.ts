import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { pythonOf } from "../needs/python-environment.ts";

/** Nothing of an upstream calls home from a test. */
export const QUIET: Readonly<Record<string, string>> = {
  CREWAI_DISABLE_TELEMETRY: "true",
  CREWAI_TRACING_ENABLED: "false",
  CREWAI_TESTING: "true",
  OTEL_SDK_DISABLED: "true",
  DO_NOT_TRACK: "1",
  AUTOGEN_USE_DOCKER: "0",
  PYTHONUNBUFFERED: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  OPENBLAS_NUM_THREADS: "1",
  OMP_NUM_THREADS: "1",
};

export type RunPythonOptions = {
  /** Folder of a Python environment. */
  readonly environment: string;
  readonly script: URL;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that takes standard output. Standard error goes beside it, with `.err`. */
  readonly output: string;
  readonly signal: AbortSignal;
};

/** Runs a Python program to its end and returns its exit code; null when a signal ended it. */
export async function runPython(options: RunPythonOptions): Promise<number | null> {
  const { environment, script, args = [], env = {}, cwd, output, signal } = options;
  const child = spawn(pythonOf(environment), [fileURLToPath(script), ...args], {
    cwd,
    env: { ...process.env, ...QUIET, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(createWriteStream(output));
  child.stderr.pipe(createWriteStream(`${output}.err`));
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  signal.addEventListener("abort", kill);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}
