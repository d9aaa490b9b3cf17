// Stored facts about the last deployment. They influence no decision.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, parsedJson } from "../../base/json.ts";

export type DeployState = {
  readonly url?: string;
  readonly version?: string;
  readonly gzipBytes?: number;
};

const pathOf = (folder: string, name: string): string =>
  join(folder, ".edgecrew", `deploy.${name}.json`);

export function readDeployState(folder: string, name: string): DeployState {
  const path = pathOf(folder, name);
  const value = existsSync(path) ? parsedJson(readFileSync(path, "utf8")) : undefined;
  return isJsonObject(value) ? value : {};
}

export function writeDeployState(folder: string, name: string, state: DeployState): void {
  const path = pathOf(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${path}.new`, path);
}
