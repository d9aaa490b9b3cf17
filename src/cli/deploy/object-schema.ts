// Storage layouts of runs: those that a version of the code can open, and the one that it writes.
//
//   OSC1. Code that cannot open the layout of the deployed code is not deployed, not restored, and gets no share of
//         requests.
//   OSC2. A version has its layouts in its tag, as the account keeps tags of versions that no longer run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { ObjectSchema } from "../../client/index.ts";
import { CliFailure } from "../cli-failure.ts";
import type { Version } from "../cloud/cloud.ts";
import { projectPackage } from "./check-project.ts";

export type { ObjectSchema };

/** Returns the layouts of the installed package. Undefined if it is missing or does not state them. */
export function packageObjectSchema(folder: string): ObjectSchema | undefined {
  const installed = projectPackage(folder);
  if (installed === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as JsonValue;
  const own = isJsonObject(manifest) ? manifest["edgecrew"] : undefined;
  const { reads, writes } =
    ((isJsonObject(own) ? own["objectSchema"] : undefined) as {
      reads?: unknown;
      writes?: unknown;
    }) ?? {};
  if (!Array.isArray(reads) || typeof writes !== "number") return undefined;
  return { reads: reads.filter((each) => typeof each === "number"), writes };
}

/** `o3` for code that writes the newest layout it can open, `o3w2` for code that writes an older one. */
export function schemaMark({ reads, writes }: ObjectSchema): string {
  const newest = Math.max(...reads);
  return newest === writes ? `o${newest}` : `o${newest}w${writes}`;
}

/** Reads the layouts in one of our tags. */
export function schemaInTag(tag: string | undefined): ObjectSchema | undefined {
  const [, newest, writes = newest] = /[+.]o(\d+)(?:w(\d+))?$/.exec(tag ?? "") ?? [];
  if (newest === undefined) return undefined;
  const reads = Array.from({ length: Number(newest) }, (_, index) => index + 1);
  return { reads, writes: Number(writes) };
}

/** Throws exit code 1 if the code cannot open existing runs. */
export function refuseStranded(
  code: ObjectSchema,
  { writes, what, fix }: { readonly writes: number; readonly what: string; readonly fix: string },
): void {
  if (code.reads.includes(writes)) return;
  throw new CliFailure(
    1,
    `${what}: runs have the storage layout ${writes}, and this code can open ${code.reads.join(", ")}`,
    { code: "object_schema", fix },
  );
}

/** Returns the newest layout written since a version, as far as tags and the Worker tell. */
export function writtenSince(
  versions: readonly Version[],
  present: ObjectSchema | undefined,
): number | undefined {
  const all = versions.map(({ tag }) => schemaInTag(tag)?.writes ?? 0);
  const newest = Math.max(present?.writes ?? 0, ...all);
  return newest === 0 ? undefined : newest;
}
