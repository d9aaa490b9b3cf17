// Sends secrets to the account.
//
//   PVF1. They are in a file that only its owner can read, beside the profiles. The file is deleted after the call;
//         files of killed processes are deleted by the next call.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { configPath } from "../profiles.ts";

/** Folder of files during a call. */
const FOLDER = "sending";

/** Runs the work with a file that contains this JSON. */
export async function withPrivateFile<Result>(
  variables: Readonly<Record<string, string | undefined>>,
  values: Readonly<Record<string, string | null>>,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(dirname(configPath(variables)), FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const file = join(folder, `${process.pid}-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(values), { mode: 0o600, flag: "wx" });
  try {
    return await work(file);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Deletes files of ended processes. */
export function removeLeftFiles(variables: Readonly<Record<string, string | undefined>>): void {
  const folder = join(dirname(configPath(variables)), FOLDER);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (!isAlive(Number.parseInt(name, 10))) rmSync(join(folder, name), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
