// Values of arguments as data, without secrets.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { PlaceList } from "./crew-scope.ts";
import { isSecret, looksSecret } from "./hide-secrets.ts";
import { transportOf } from "./mcp-servers.ts";
import { asJson, type PythonValue } from "./python-value.ts";

/** Returns a value as JSON. Undefined if a part of it is unreadable. Secrets are left out. */
export function plainValue(scope: PlaceList, value: PythonValue): JsonValue | undefined {
  if (value.kind === "input") return value.name === "" ? undefined : `{${value.name}}`;
  if (value.kind === "plain" && typeof value.value === "string" && looksSecret(value.value)) {
    scope.leaveSecret(value, "this text");
    return null;
  }
  if (value.kind === "list") return allOf(value.items.map((item) => plainValue(scope, item)));
  const transport = value.kind === "call" ? transportOf(value.name) : undefined;
  if (transport !== undefined && value.kind === "call") {
    const entries = value.keywords.map(({ name, value: each }) => [name, each] as const);
    const settings = plainValue(scope, {
      source: value.source,
      node: value.node,
      kind: "dict",
      entries,
    });
    return isJsonObject(settings) ? { transport, ...settings } : undefined;
  }
  if (value.kind !== "dict") return asJson(value);
  const entries = value.entries.flatMap(
    ([name, each]): (readonly [string, JsonValue])[] | [undefined] => {
      if (isSecret(name) && each.kind === "plain" && typeof each.value === "string") {
        scope.leaveSecret(each, name);
        return [];
      }
      if (isSecret(name) && each.kind === "variable") {
        scope.pass(each, `\`${name}\` comes from a variable of the Worker`);
        return [];
      }
      const read = plainValue(scope, each);
      return read === undefined ? [undefined] : [[name, read]];
    },
  );
  return entries.includes(undefined)
    ? undefined
    : Object.fromEntries(entries as (readonly [string, JsonValue])[]);
}

/** `PDFKnowledgeSource(file_paths=["manual.pdf"])`. */
export function knowledgeSource(scope: PlaceList, value: PythonValue): JsonValue | undefined {
  if (value.kind !== "call") return undefined;
  const kind = KNOWLEDGE.get(value.name.split(".").at(-1) ?? "");
  const fields = value.keywords.map(
    ({ name, value: each }) => [name, plainValue(scope, each)] as const,
  );
  if (kind === undefined || fields.some(([, each]) => each === undefined)) return undefined;
  scope.leave(
    value,
    "knowledge: pass `knowledge()` to defineApp, and put its files into the file store",
  );
  return { source_type: kind, ...Object.fromEntries(fields) };
}

/** CrewAI's sources of knowledge, with their names as data. */
const KNOWLEDGE: ReadonlyMap<string, string> = new Map(
  ["String", "TextFile:text_file", "PDF", "CSV", "Excel", "JSON"].map((each) => {
    const [name = "", kind = name.toLowerCase()] = each.split(":");
    return [`${name}KnowledgeSource`, kind] as const;
  }),
);

/** Returns the values if all are there. */
export function allOf(values: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  return values.includes(undefined) ? undefined : (values as JsonValue[]);
}
