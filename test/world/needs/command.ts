import { spawn } from "node:child_process";

const TAIL = 1_500;

export type CommandOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default 900_000 */
  readonly timeoutMs?: number;
};

/** Runs a program and returns its standard output. Throws with the end of what it printed when it fails. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { cwd, env = {}, timeoutMs = 900_000 } = options;
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", (error) => reject(error));
      child.on("close", (exitCode) => resolve(exitCode));
    });
    if (code !== 0)
      throw new Error(
        `${program} ${args.join(" ")} ended with ${code ?? "a signal"}: ${`${output}${errors}`.trim().slice(-TAIL)}`,
      );
    return output;
  } finally {
    clearTimeout(timer);
  }
}
