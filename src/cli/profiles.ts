// Workers and keys stored on this machine.
//
//   PRF1. The file is written completely and put in place at once, readable only by its owner. A file that others can
//         read is refused.
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { CliFailure, wrongUse } from "./cli-failure.ts";
import { parsedJson } from "../base/json.ts";

const profile = z.object({
  url: z.string(),
  key: z.string().optional(),
  tenant: z.string().optional(),
});
const config = z.object({
  current: z.string().optional(),
  profiles: z.record(z.string(), profile).default({}),
  /** Admin keys of Workers with an unfinished deployment. */
  pending: z.record(z.string(), z.string()).optional(),
});

export type Profile = z.output<typeof profile>;
export type Config = z.output<typeof config>;

/** Returns the path of the file: under `XDG_CONFIG_HOME`, `%APPDATA%`, or `~/.config`. */
export function configPath(variables: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE } = variables;
  const home = HOME ?? USERPROFILE ?? ".";
  return join(XDG_CONFIG_HOME ?? APPDATA ?? join(home, ".config"), "edgecrew", "config.json");
}

/** Empty without a file. Throws exit code 2 for a file that others can read, or that is not ours. */
export function readConfig(path: string): Config {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
    throw new CliFailure(2, `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
    throw wrongUse(`${path} holds keys, and others can read it`, `chmod 600 ${path}`);
  const parsed = config.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw wrongUse(`${path} is no configuration of edgecrew`, `delete it, and edgecrew login`);
}

export function writeConfig(path: string, value: Config): void {
  const folder = dirname(path);
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (cause) {
    throw new CliFailure(1, `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
