import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "./command.ts";
import type { Need } from "./need.ts";

/** Installs ten times as fast as pip; pip remains the fallback. */
export const UV = "uv==0.9.30";

export type PythonEnvironmentOptions = {
  readonly name: string;
  readonly what: string;
  /** File with exact versions of everything, as `uv pip compile` or `pip freeze` writes it. */
  readonly requirements: URL;
  /** False installs the listed packages alone, for packages of which only the files are wanted. @default true */
  readonly dependencies?: boolean;
  readonly seconds: number;
  readonly megabytes: number;
};

/** A virtual environment of Python. {@link pythonOf} has its interpreter. */
export function pythonEnvironment(options: PythonEnvironmentOptions): Need {
  const { name, what, requirements, dependencies = true, seconds, megabytes } = options;
  return {
    name,
    what,
    seconds,
    megabytes,
    requirements: () => `${readFileSync(requirements, "utf8")}\n${dependencies}`,
    async make({ folder, say }) {
      await runCommand("python3", ["-m", "venv", folder]);
      const python = pythonOf(folder);
      const wanted = ["-r", fileURLToPath(requirements), ...(dependencies ? [] : ["--no-deps"])];
      try {
        await runCommand(python, ["-m", "pip", "install", "--quiet", UV]);
        await runCommand(join(folder, "bin", "uv"), [
          "pip",
          "install",
          "--python",
          python,
          ...wanted,
        ]);
      } catch (error) {
        say(`uv cannot install it, pip tries: ${(error as Error).message.slice(0, 300)}`);
        await runCommand(python, ["-m", "pip", "install", "--quiet", ...wanted]);
      }
    },
  };
}

/** Interpreter of a virtual environment. */
export function pythonOf(folder: string): string {
  const windows = join(folder, "Scripts", "python.exe");
  return existsSync(windows) ? windows : join(folder, "bin", "python");
}
