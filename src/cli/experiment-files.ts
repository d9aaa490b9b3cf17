// Cases of experiments, and the results of earlier ones, as files.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { readYaml } from "../base/yaml.ts";
import { identified } from "../wire/experiment-cases.ts";
import { wrongUse } from "./cli-failure.ts";

/** A case in a file: inputs, and the lowest score that passes. */
export type WrittenCase = {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly expectedScore?: number;
};

/** A judged case. */
export type JudgedCase = WrittenCase & {
  readonly score: number | null;
  readonly passed: boolean;
  readonly runId: string;
  readonly error?: string;
};

/** File format of `--out` and `--baseline`. */
export type ExperimentFile = {
  readonly format: typeof EXPERIMENT_FORMAT;
  readonly crew: string;
  readonly at: string;
  readonly cases: readonly JudgedCase[];
};

export const EXPERIMENT_FORMAT = "edgecrew.experiment/1";

const FIELDS: ReadonlySet<string> = new Set(["id", "inputs", "expectedScore", "expected_score"]);

/**
 * Reads a list of cases from YAML or JSON, or one case a line from JSONL. Throws exit code 2 with the place of the
 * fault.
 */
export function readCases(path: string, cwd: string): readonly WrittenCase[] {
  const text = textOf(path, cwd);
  const written = /\.(jsonl|ndjson)$/i.test(path) ? ofLines(text, path) : ofList(text, path);
  if (written.length === 0) throw wrongUse(`${path} has no cases`);
  const cases = written.map((value, index) => caseOf(value, `${path}: cases/${index}`));
  try {
    return identified(cases);
  } catch (error) {
    throw EngineError.is(error) ? wrongUse(`${path}: ${error.message}`) : error;
  }
}

/** Reads the result of an earlier experiment. Throws exit code 2 for an invalid file. */
export function readBaseline(path: string, cwd: string): ExperimentFile {
  let value: unknown;
  try {
    value = JSON.parse(textOf(path, cwd));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw wrongUse(`${path} is broken or cut off: ${error.message}`);
    throw error;
  }
  if (isJsonObject(value) && value["format"] === EXPERIMENT_FORMAT)
    return value as unknown as ExperimentFile;
  throw wrongUse(
    `${path} is no result of an experiment`,
    "edgecrew experiments <cases> --out <file>",
  );
}

function textOf(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wrongUse(isMissing ? `there is no file ${path}` : `${path}: ${(error as Error).message}`);
  }
}

function ofLines(text: string, path: string): readonly unknown[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      throw wrongUse(`${path}:${index + 1}: ${(error as Error).message}`);
    }
  });
}

function ofList(text: string, path: string): readonly unknown[] {
  const value = yamlOf(text, path);
  const list = isJsonObject(value) ? value["cases"] : value;
  if (Array.isArray(list)) return list;
  throw wrongUse(`${path}: expected a list of cases, or one under cases:, got ${preview(value)}`);
}

function yamlOf(text: string, path: string): unknown {
  return readYaml(text, (reason, { line, column }) =>
    wrongUse(`${path}:${line}:${column}: ${reason}`),
  ).value;
}

function caseOf(value: unknown, place: string): Omit<WrittenCase, "id"> & { readonly id?: string } {
  if (!isJsonObject(value))
    throw wrongUse(`${place}: expected id, inputs and expectedScore, got ${preview(value)}`);
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined)
    throw wrongUse(`${place}: ${unknown} is unknown; a case has id, inputs, expectedScore`);
  const { id, inputs = {} } = value;
  const expectedScore = value["expectedScore"] ?? value["expected_score"];
  if (id !== undefined && typeof id !== "string" && typeof id !== "number")
    throw wrongUse(`${place}/id: expected a text, got ${preview(id)}`);
  if (!isJsonObject(inputs))
    throw wrongUse(`${place}/inputs: expected an object, got ${preview(inputs)}`);
  if (expectedScore !== undefined && !isScore(expectedScore))
    throw wrongUse(
      `${place}/expectedScore: expected a number from 0 to 10, got ${preview(expectedScore)}`,
    );
  return {
    inputs,
    ...(id === undefined ? undefined : { id: String(id) }),
    ...(expectedScore === undefined ? undefined : { expectedScore }),
  };
}

function isScore(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 10;
}
