import { camelCase } from "../../../base/camel-case.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, preview } from "../../../base/json.ts";
import { a2ui } from "./a2ui.ts";

/**
 * Returns the extension for its name in data: `"a2ui"`, `{ type: "a2ui", version: "v0.9" }`. An object of code stays as
 * it is.
 */
export function namedExtension(named: unknown): unknown {
  if (typeof named === "string") return byName(named, {});
  if (!isJsonObject(named) || typeof named["type"] !== "string") return named;
  const { type, ...options } = named;
  return byName(
    type,
    Object.fromEntries(Object.entries(options).map(([name, each]) => [camelCase(name), each])),
  );
}

function byName(name: string, options: Readonly<Record<string, unknown>>): unknown {
  if (/^a2ui(client)?(extension)?$/i.test(name)) return a2ui(options);
  throw invalidDefinition(
    `a2a: clientExtensions in data may be "a2ui" or { type: "a2ui", … }, got ${preview(name)}; others are objects in code`,
  );
}
