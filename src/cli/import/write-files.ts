// Writes files into a folder, and never outside of it.
//
//   WRF1. A path out of the folder, by `..` or by a link on its way, is refused before any file is written.
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import type { NewFile } from "./import-project.ts";

/** Returns the existing files with other contents. */
export function changedFiles(folder: string, files: readonly NewFile[]): readonly string[] {
  return files
    .filter(({ path, content }) => {
      const target = safePath(folder, path);
      return existsSync(target) && !readFileSync(target).equals(Buffer.from(content));
    })
    .map(({ path }) => path);
}

export function writeFiles(folder: string, files: readonly NewFile[]): void {
  const targets = files.map((file) => ({ ...file, target: safePath(folder, file.path) }));
  for (const { target, content } of targets) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

/** Throws exit code 2 for a path outside of the folder. */
export function safePath(folder: string, path: string): string {
  const target = resolve(folder, path);
  const steps = relative(resolve(folder), target).split(sep);
  let here = resolve(folder);
  for (const step of steps) {
    here = join(here, step);
    if (step === ".." || step === "" || isLink(here))
      throw wrongUse(`${path} leads out of ${folder}`, "no file was written; use another --out");
  }
  return target;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
