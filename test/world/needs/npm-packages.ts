import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runCommand } from "./command.ts";
import type { Need } from "./need.ts";

const FILES = ["package.json", "package-lock.json"];

export type NpmPackagesOptions = {
  readonly name: string;
  readonly what: string;
  /** Folder with a `package.json` and its `package-lock.json`, without addresses of a registry. */
  readonly folder: URL;
  /** Further arguments of `npm ci`. @default none */
  readonly flags?: readonly string[];
  readonly seconds: number;
  readonly megabytes: number;
};

/** Packages of npm that are no dependency of this repository. */
export function npmPackages({
  name,
  what,
  folder: source,
  flags = [],
  seconds,
  megabytes,
}: NpmPackagesOptions): Need {
  const path = (file: string): string => join(fileURLToPath(source), file);
  return {
    name,
    what,
    seconds,
    megabytes,
    requirements: () => FILES.map((file) => readFileSync(path(file), "utf8")).join("\n"),
    async make({ folder }) {
      for (const file of FILES) copyFileSync(path(file), join(folder, file));
      await runCommand("npm", ["ci", "--no-audit", "--no-fund", ...flags], { cwd: folder });
    },
  };
}

/** Imports a package of a made folder. The caller names its type. */
export async function importFrom<Module>(folder: string, specifier: string): Promise<Module> {
  const resolve = createRequire(join(folder, "package.json"));
  return (await import(pathToFileURL(resolve.resolve(specifier)).href)) as Module;
}
