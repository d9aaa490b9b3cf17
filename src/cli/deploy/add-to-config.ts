// Writes missing bindings into a configuration.
//
//   ATC1. Only JSONC is changed, and only after a person agrees at a terminal. Comments and order stay the same.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { applyEdits, findNodeAtLocation, modify, parseTree, type JSONPath } from "jsonc-parser";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Finding } from "../check-config.ts";
import type { CliContext } from "../command.ts";

/** Offers the additions of findings, one by one. Returns true if the file changed. */
export async function offerAdditions(
  { prompt, out, signal }: CliContext,
  { findings, configFile }: { readonly findings: readonly Finding[]; readonly configFile: string },
): Promise<boolean> {
  if (prompt === undefined || configFile.endsWith(".toml")) return false;
  const name = basename(configFile);
  let isChanged = false;
  for (const { message, fix, add } of findings) {
    if (add === undefined) continue;
    out.note(`${message}\n    ${fix}`);
    if (!(await prompt.confirm({ message: `Add it to ${name}?`, initial: true, signal }))) continue;
    writeFileSync(`${configFile}.new`, withAddition(readFileSync(configFile, "utf8"), add));
    renameSync(`${configFile}.new`, configFile);
    isChanged = true;
  }
  return isChanged;
}

/** Adds missing fields, and entries at the end of lists, to a configuration. */
export function withAddition(text: string, add: JsonObject): string {
  return Object.entries(add).reduce((changed, [key, value]) => put(changed, [key], value), text);
}

function put(text: string, path: JSONPath, value: JsonValue): string {
  const root = parseTree(text, undefined, { allowTrailingComma: true });
  const there = root === undefined ? undefined : findNodeAtLocation(root, path);
  if (there?.type === "object" && isJsonObject(value))
    return Object.entries(value).reduce(
      (changed, [key, each]) => put(changed, [...path, key], each),
      text,
    );
  const formattingOptions = formOf(text);
  if (there?.type === "array" && Array.isArray(value))
    return value.reduce<string>((changed, each) => {
      const options = { formattingOptions, isArrayInsertion: true };
      return applyEdits(changed, modify(changed, [...path, -1], each, options));
    }, text);
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

/** As the file is written. */
function formOf(text: string) {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.includes("\t"),
    tabSize: indent.includes("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
