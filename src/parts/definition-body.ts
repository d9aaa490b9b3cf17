import { EngineError } from "../base/error.ts";
import { pointerOf } from "../base/json-pointer.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import {
  checkDepth,
  isJsonType,
  mediaType,
  parseJson,
  readText,
  unsupportedType,
} from "./request-body.ts";

const YAML_TYPES = new Set(["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]);

/** A definition as it was sent. What `placed` refuses of it is told with line and column, where there are any. */
export type DefinitionBody = {
  readonly value: unknown;
  readonly placed: <Made>(make: () => Made) => Made;
};

/** The texts of a project, by their paths. */
export type Files = Readonly<Record<string, string>>;

/** Reads what is not plain JSON. Handed in, so that a Worker which stores no definitions does not carry it. */
export type DefinitionReaders = {
  readonly yaml: (name: string, text: string) => Promise<DefinitionBody>;
  /** The files of a project. */
  readonly project: (files: Files) => DefinitionBody | Promise<DefinitionBody>;
};

/**
 * Reads a definition, JSON or YAML by its content-type. JSON of the form `{ "files": { "config/agents.yaml": "…" } }` is a
 * project. Throws `invalid_input`.
 */
export async function readDefinitionBody(
  request: Request,
  maxBytes: number,
  readers: DefinitionReaders,
): Promise<DefinitionBody> {
  const type = mediaType(request);
  const isYaml = type !== undefined && YAML_TYPES.has(type);
  if (!isYaml && !isJsonType(type))
    throw unsupportedType(type, "application/json or application/yaml");
  const text = (await readText(request, maxBytes)) ?? "";
  const body = isYaml ? await readers.yaml("body.yaml", text) : await readJson(text, readers);
  checkDepth(body.value);
  return body;
}

async function readJson(text: string, readers: DefinitionReaders): Promise<DefinitionBody> {
  const value = parseJson(text);
  const files = filesOf(value);
  return files === undefined ? { value, placed: (make) => make() } : readers.project(files);
}

/** The files of a project, where that is what a body holds. */
function filesOf(value: JsonValue): Files | undefined {
  const files = isJsonObject(value) ? value["files"] : undefined;
  if (!isJsonObject(files)) return undefined;
  const wrong = Object.entries(files).find(([, text]) => typeof text !== "string");
  if (wrong !== undefined) {
    const path = pointerOf(["files", wrong[0]]);
    const message = "expected the text of a file";
    throw new EngineError("invalid_input", `${path} ${message}`, { issues: [{ path, message }] });
  }
  return files as Files;
}
