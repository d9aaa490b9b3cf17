// Finds code that crews in files name by Python paths: `{ "python": "tea.models.Tea" }`.
import { parse as parseJsonc } from "jsonc-parser";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { readYaml } from "../../base/yaml.ts";
import type { FunctionUse } from "./code-lookup.ts";

export type PythonReference = {
  /** Name in the definition, under which the code is registered. */
  readonly name: string;
  /** The name of the class or function. */
  readonly last: string;
  /** File with the reference. */
  readonly file: string;
  readonly use: "schema" | FunctionUse;
};

/** The references of a file of a crew. */
export function pythonReferences(file: string, text: string): readonly PythonReference[] {
  const found: PythonReference[] = [];
  const visit = (value: JsonValue, field: string): void => {
    if (Array.isArray(value)) for (const each of value as JsonValue[]) visit(each, field);
    if (!isJsonObject(value)) return;
    const name = value["python"];
    const use = useOf(field);
    const last = typeof name === "string" ? name.split(/[.:]/).at(-1) : undefined;
    if (typeof name === "string" && last !== undefined && last !== "" && use !== undefined)
      found.push({ name, last, file, use });
    for (const [key, each] of Object.entries(value)) visit(each, key);
  };
  try {
    const value: unknown = /\.jsonc?$/.test(file)
      ? parseJsonc(text)
      : readYaml(text, (reason) => new Error(reason)).value;
    visit((value ?? null) as JsonValue, "");
  } catch {
    // The check of the output reports unreadable files.
  }
  return found;
}

function useOf(field: string): PythonReference["use"] | undefined {
  if (/^(output_?json|output_?pydantic|response_?model)$/i.test(field)) return "schema";
  if (/callbacks?$/i.test(field)) return "listens";
  return /^(guardrails?|condition)$/i.test(field) ? "decides" : undefined;
}
