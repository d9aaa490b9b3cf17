import type { Context } from "hono";
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import {
  checkDepth,
  isJsonType,
  mediaType,
  parseJson,
  readText,
  unsupportedType,
} from "./request-body.ts";
import type { HttpEnv } from "./services.ts";

const YAML_TYPES = new Set(["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]);

/** A definition as it was sent, JSON or YAML by its content-type. */
export async function readDefinitionBody(c: Context<HttpEnv>): Promise<JsonValue> {
  const type = mediaType(c);
  const isYaml = type !== undefined && YAML_TYPES.has(type);
  if (!isYaml && !isJsonType(type))
    throw unsupportedType(type, "application/json or application/yaml");
  const text = (await readText(c)) ?? "";
  return isYaml ? parseYaml(text) : parseJson(text);
}

/** Throws `invalid_input` that names line and column. Aliases may not grow a small document into a large one. */
async function parseYaml(text: string): Promise<JsonValue> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { merge: true, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const [place] = error.linePos ?? [];
    const where = place === undefined ? "" : ` at line ${place.line}, column ${place.col}`;
    const what = (error.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
    throw notYaml(`${where}: ${what}`);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw notYaml(`: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  checkDepth(value);
  return value as JsonValue;
}

function notYaml(what: string): EngineError {
  const message = `the request body is not YAML that can be used${what}`;
  return new EngineError("invalid_input", message, { issues: [{ path: "", message }] });
}
