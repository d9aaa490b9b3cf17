import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { CliFailure } from "./cli-failure.ts";

/** Writes a file completely or not at all. Throws exit code 1 with its path on failure. */
export function writeWhole(
  path: string,
  text: string,
  { mode = 0o666 }: { readonly mode?: number } = {},
): void {
  const partial = `${path}.part`;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new Error("it is a folder");
    writeFileSync(partial, text, { mode });
    renameSync(partial, path);
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new CliFailure(1, `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
