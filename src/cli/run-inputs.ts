// Reads the inputs of a run from the command line.
//
//   RIN1. `k=text`, `k:=json`, `k=@file` (its text). A repeated name is an error. `--inputs` is an object, as JSON,
//         `@file` or `-`; single inputs take precedence over it.
//   RIN2. An unused input is still sent, with a warning that names the nearest known one.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { wrongUse } from "./cli-failure.ts";
import { fieldOf, typedText } from "./input-fields.ts";
import { nearestOf } from "../base/nearest.ts";

export type WrittenInputs = {
  readonly input: readonly string[];
  readonly inputs: string | undefined;
};

export async function readInputs(
  { input, inputs }: WrittenInputs,
  {
    cwd,
    readInput,
    schema,
  }: {
    readonly cwd: string;
    readonly readInput: () => Promise<string>;
    /** Schema of the inputs. @default all are texts */
    readonly schema?: JsonObject | undefined;
  },
): Promise<JsonObject> {
  const whole = inputs === undefined ? {} : await wholeInputs(inputs, { cwd, readInput });
  const single: Record<string, JsonValue> = {};
  for (const text of input) {
    const [name, value] = oneInput(text, { cwd, schema });
    if (Object.hasOwn(single, name)) throw wrongUse(`--input ${name} stands twice`);
    single[name] = value;
  }
  return { ...whole, ...single };
}

async function wholeInputs(
  text: string,
  { cwd, readInput }: { readonly cwd: string; readonly readInput: () => Promise<string> },
): Promise<JsonObject> {
  const json =
    text === "-" ? await readInput() : text.startsWith("@") ? fileText(text.slice(1), cwd) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw wrongUse(`--inputs: expected a JSON object: ${(error as Error).message}`);
  }
  if (isJsonObject(value)) return value;
  throw wrongUse(
    `--inputs: expected an object, got ${Array.isArray(value) ? "a list" : JSON.stringify(value)}`,
  );
}

/** Results of steps by their keys, which may have colons: `key=text`, `key:=json`, `key=@file`. */
export function readEdits(
  texts: readonly string[],
  cwd: string,
): Readonly<Record<string, JsonValue>> {
  const edits: Record<string, JsonValue> = {};
  for (const text of texts) {
    const found = /^([^=]+?)(:?=)([^]*)$/.exec(text);
    if (found === null) throw wrongUse(`--edit needs key=value, got ${JSON.stringify(text)}`);
    const [, key = ""] = found;
    if (Object.hasOwn(edits, key)) throw wrongUse(`--edit ${key} stands twice`);
    edits[key] = writtenValue(found, { option: "--edit", cwd });
  }
  return edits;
}

function oneInput(
  text: string,
  { cwd, schema }: { readonly cwd: string; readonly schema: JsonObject | undefined },
): readonly [string, JsonValue] {
  const found = /^([^=:]+?)(:?=)([^]*)$/.exec(text);
  if (found === null) throw wrongUse(`--input needs name=value, got ${JSON.stringify(text)}`);
  const [, name = "", sign, written = ""] = found;
  const value = writtenValue(found, { option: "--input", cwd });
  const isText = sign === "=" && !written.startsWith("@");
  return [name, isText ? typedText(fieldOf(schema, name), written) : value];
}

function writtenValue(
  [, name = "", sign, value = ""]: readonly string[],
  { option, cwd }: { readonly option: string; readonly cwd: string },
): JsonValue {
  if (sign === "=") return value.startsWith("@") ? fileText(value.slice(1), cwd) : value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch (error) {
    throw wrongUse(`${option} ${name}: expected JSON after :=, ${(error as Error).message}`);
  }
}

function fileText(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wrongUse(isMissing ? `there is no file ${path}` : `${path}: ${(error as Error).message}`);
  }
}

/** Returns warnings about inputs that are not in the definition. */
export function unusedInputs(sent: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearestOf(name, known);
      return `no text uses the input ${name}${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
}
