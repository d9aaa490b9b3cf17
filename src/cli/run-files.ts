// Starts a run with files of this machine.
//
//   RFL1. `name=path`. Each file must exist, and is read before any request. A small one goes with the kickoff and
//         belongs to the run; a larger one is stored for a day, which the run prolongs while it is active.
import { openAsBlob, readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { toBase64 } from "../base/bytes.ts";
import type { JsonObject } from "../base/json.ts";
import type { EdgecrewClient } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";

const MAX_WITH_KICKOFF = 256 * 1024;
const DAY_SECONDS = 86_400;

/** Returns `inputFiles` of a kickoff. Throws exit code 2 for a missing file. */
export async function readRunFiles(
  written: readonly string[],
  {
    cwd,
    signal,
    client,
  }: { readonly cwd: string; readonly signal: AbortSignal; readonly client: EdgecrewClient },
): Promise<Readonly<Record<string, string | JsonObject>> | undefined> {
  const all = written.map((text) => oneFile(text, cwd));
  for (const [index, { input }] of all.entries())
    if (all.findIndex((each) => each.input === input) < index)
      throw wrongUse(`--file ${input} stands twice`);
  const files: Record<string, string | JsonObject> = {};
  for (const { input, path, bytes } of all) {
    const name = basename(path);
    if (bytes <= MAX_WITH_KICKOFF)
      files[input] = { name, data: toBase64(new Uint8Array(readFileSync(path))) };
    else {
      const blob = await openAsBlob(path);
      const stored = await client.files.upload(blob, { name, expires: DAY_SECONDS, signal });
      files[input] = stored.id;
    }
  }
  return all.length === 0 ? undefined : files;
}

type WrittenFile = { readonly input: string; readonly path: string; readonly bytes: number };

function oneFile(text: string, cwd: string): WrittenFile {
  const [, input = "", written = ""] = /^([^=]+)=([^]+)$/.exec(text) ?? [];
  if (input === "") throw wrongUse(`--file needs name=path, got ${JSON.stringify(text)}`);
  const path = resolve(cwd, written);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw wrongUse(`--file ${input}: there is no file ${written}`);
  return { input, path, bytes: found.size };
}
