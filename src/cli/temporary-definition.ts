// Stores definitions for one run.
//
//   TMP1. A definition is removed as soon as its run has begun or failed to begin: runs keep the definition of their
//         start.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { EdgecrewClient } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";
import type { Startable } from "./startable.ts";

export type TemporaryDefinition = {
  readonly subject: Startable;
  readonly remove: () => Promise<void>;
};

const temporaryName = (of: string): string =>
  `${of.replaceAll(/[^\w-]/g, "-").slice(0, 40)}-${randomBytes(4).toString("hex")}`;

/** Stores a declared flow from a file (YAML or JSON). Throws exit code 2 for a file without one. */
export async function storeFlow(
  { flows }: EdgecrewClient,
  { path, cwd }: { readonly path: string; readonly cwd: string },
): Promise<TemporaryDefinition> {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    throw wrongUse(`--definition: ${(error as Error).message}`);
  }
  const name = temporaryName("definition");
  await flows.put(name, text);
  return { subject: { kind: "flow", name, inputs: [] }, remove: () => flows.delete(name) };
}
