import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject } from "../base/json.ts";
import type { ExportedRun } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";

const FORMAT = "edgecrew.run/1";

/** A run from a file of `edgecrew trace download`. Throws exit code 2 for what is none. */
export function readTrace(path: string, cwd: string): ExportedRun {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wrongUse(isMissing ? `there is no file ${path}` : `${path}: ${(error as Error).message}`);
  }
  const value = parsed(text, path);
  const format = isJsonObject(value) ? value["format"] : undefined;
  if (format === FORMAT) return value as ExportedRun;
  throw wrongUse(
    typeof format === "string" && format.startsWith("edgecrew.run/")
      ? `${path} has the format ${format}; this version reads ${FORMAT}`
      : `${path} is no saved run`,
    "edgecrew trace download <id>",
  );
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrongUse(`${path} is broken or cut off: ${(error as Error).message}`);
  }
}
