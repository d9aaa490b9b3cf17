import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { ExportedRun } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";

const FORMAT = "edgecrew.run/1";

/**
 * Reads a run from a file of `edgecrew trace download`, or from lines of the API for programs. Throws exit code 2 for
 * any other file.
 */
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
    return text.trimEnd().includes("\n{") ? ofLines(text) : JSON.parse(text);
  } catch (error) {
    throw wrongUse(`${path} is broken or cut off: ${(error as Error).message}`);
  }
}

/** Reads lines: a header, a step or an event each, and finally their number. */
function ofLines(text: string): unknown {
  const [head, ...rest] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const steps = rest.flatMap(({ step }) => step ?? []);
  const events = rest.flatMap(({ event }) => event ?? []);
  if (!isJsonObject(rest.at(-1)?.["end"])) throw new Error("its last line is no end");
  return { ...head, steps, events };
}
