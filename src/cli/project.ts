// The project around a folder.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseJsonc } from "jsonc-parser";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { wrongUse } from "./cli-failure.ts";
import { writeWhole } from "./write-whole.ts";

export type Project = {
  readonly folder: string;
  /** The file of wrangler's configuration. */
  readonly configFile: string;
  readonly config: JsonObject;
};

/** A recorded dev server of the project. */
export type DevServer = { readonly url: string; readonly pid: number; readonly started: string };

const CONFIGS = ["wrangler.jsonc", "wrangler.json", "wrangler.toml"];

/** Finds the nearest folder upwards with a wrangler configuration. Throws exit code 2 if it does not parse. */
export function findProject(from: string): Project | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const there = CONFIGS.filter((name) => existsSync(join(folder, name)));
    const [name] = there;
    if (name !== undefined) return readProject(folder, there);
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the current project. Throws exit code 2 outside of one. */
export function needProject({
  project,
  cwd,
}: {
  readonly project: Project | undefined;
  readonly cwd: string;
}): Project {
  if (project !== undefined) return project;
  throw wrongUse(
    `${cwd} is in no project: neither here nor above is a configuration of wrangler`,
    "npm create edgecrew",
  );
}

function readProject(folder: string, [name = "", ...others]: readonly string[]): Project {
  const configFile = join(folder, name);
  if (others.length > 0)
    throw wrongUse(
      `${folder} has ${[name, ...others].join(" and ")}`,
      `${name} counts: delete ${others.join(", ")}`,
    );
  const text = readFileSync(configFile, "utf8");
  return { folder, configFile, config: parsed(configFile, text) };
}

/** Reads the configuration of a folder, or a named file in it. Undefined without a readable one. */
export function readConfig(folder: string, file?: string): JsonObject | undefined {
  const name = file ?? CONFIGS.find((each) => existsSync(join(folder, each)));
  if (name === undefined) return undefined;
  const path = join(folder, name);
  try {
    return parsed(path, readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function parsed(path: string, text: string): JsonObject {
  try {
    const value: unknown = path.endsWith(".toml") ? parseToml(text) : jsonc(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw wrongUse(`${path} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  throw wrongUse(`${path} is no configuration of wrangler`);
}

function jsonc(text: string): unknown {
  const faults: { readonly offset: number }[] = [];
  const value: unknown = parseJsonc(text, faults as never, { allowTrailingComma: true });
  const [fault] = faults;
  if (fault === undefined) return value;
  const line = text.slice(0, fault.offset).split("\n").length;
  throw new Error(`line ${line} is no JSON`);
}

const devFile = ({ folder }: Project): string => join(folder, ".edgecrew", "dev.json");

/** Returns the recorded dev server. It may have ended. */
export function devServerOf(project: Project): DevServer | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(devFile(project), "utf8"));
    if (isJsonObject(value) && typeof value["url"] === "string")
      return value as unknown as DevServer;
  } catch {}
  return undefined;
}

export function writeDevServer(project: Project, server: DevServer): void {
  const path = devFile(project);
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, `${JSON.stringify(server)}\n`);
}

export function forgetDevServer(project: Project): void {
  rmSync(devFile(project), { force: true });
}
