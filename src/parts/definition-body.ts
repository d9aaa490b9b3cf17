import { EngineError } from "../base/error.ts";
import { pointerOf } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import {
  checkDepth,
  isJsonType,
  mediaType,
  parseJson,
  readText,
  unsupportedType,
} from "./request-body.ts";

const YAML_TYPES = new Set(["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]);

/** A definition as sent. Errors thrown inside `placed` get the line and column, if the format has them. */
export type DefinitionBody = {
  readonly value: unknown;
  readonly placed: <Made>(make: () => Made) => Made;
};

/** A definition with its source text. */
export type SentDefinition = DefinitionBody & {
  readonly source: string;
  readonly mediaType: "application/json" | "application/yaml";
};

/** The files of a project: text by path. */
export type Files = Readonly<Record<string, string>>;

/**
 * Readers of formats other than plain JSON. They are passed in, so a Worker without stored definitions does not contain
 * them.
 */
export type DefinitionReaders = {
  readonly yaml: (name: string, text: string) => Promise<DefinitionBody>;
  /** Reads the files of a project. `beside` has the other fields of the body. */
  readonly project: (files: Files, beside: JsonObject) => DefinitionBody | Promise<DefinitionBody>;
};

/**
 * Reads a definition, JSON or YAML by its content-type. JSON of the form `{ "files": { "config/agents.yaml": "…" } }`
 * is a project; the settings made in its code may follow beside the files as `additions`. Throws `invalid_input`.
 */
export async function readDefinitionBody(
  request: Request,
  maxBytes: number,
  readers: DefinitionReaders,
): Promise<SentDefinition> {
  const type = mediaType(request);
  const isYaml = type !== undefined && YAML_TYPES.has(type);
  if (!isYaml && !isJsonType(type))
    throw unsupportedType(type, "application/json or application/yaml");
  const source = (await readText(request, maxBytes)) ?? "";
  const body = isYaml ? await readers.yaml("body.yaml", source) : await readJson(source, readers);
  checkDepth(body.value);
  const { value, placed } = body;
  return {
    value,
    placed,
    source,
    mediaType: isYaml ? "application/yaml" : "application/json",
  };
}

async function readJson(text: string, readers: DefinitionReaders): Promise<DefinitionBody> {
  const value = parseJson(text);
  if (!isJsonObject(value)) return { value, placed: (make) => make() };
  const { files, ...beside } = value;
  return isJsonObject(files)
    ? readers.project(checkFiles(files), beside)
    : { value, placed: (make) => make() };
}

/** Throws `invalid_input` unless each file is a text. */
function checkFiles(files: JsonObject): Files {
  const wrong = Object.entries(files).find(([, text]) => typeof text !== "string");
  if (wrong === undefined) return files as Files;
  const path = pointerOf(["files", wrong[0]]);
  const message = "expected the text of a file as a string";
  throw new EngineError("invalid_input", `${path} ${message}`, { issues: [{ path, message }] });
}
