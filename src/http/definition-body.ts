import type { Context } from "hono";
import { EngineError, type Issue } from "../base/error.ts";
import { partsOfPointer, pointerOf } from "../base/json-pointer.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
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

/** A definition as it was sent. What `placed` refuses of it is told with line and column, where there are any. */
export type DefinitionBody = {
  readonly value: unknown;
  readonly placed: <Made>(make: () => Made) => Made;
};

/** The texts of a project, by their paths. */
type Files = Readonly<Record<string, string>>;

/**
 * Reads a definition, JSON or YAML by its content-type. JSON of the form `{ "files": { "config/agents.yaml": "…" } }` is
 * a project, of a crew unless `readFiles` reads it.
 */
export async function readDefinitionBody(
  c: Context<HttpEnv>,
  readFiles: (files: Files) => DefinitionBody | Promise<DefinitionBody> = readProject,
): Promise<DefinitionBody> {
  const type = mediaType(c);
  const isYaml = type !== undefined && YAML_TYPES.has(type);
  if (!isYaml && !isJsonType(type))
    throw unsupportedType(type, "application/json or application/yaml");
  const text = (await readText(c)) ?? "";
  if (isYaml) return readYaml(text);
  const value = parseJson(text);
  const files = filesOf(value);
  return files === undefined ? { value, placed: (make) => make() } : readFiles(files);
}

async function readYaml(text: string): Promise<DefinitionBody> {
  const { issueAt, readSourceText } = await import("../project/source-text.ts");
  const source = asInput(() => readSourceText("body.yaml", text));
  checkDepth(source.value);
  const told = (issue: Issue): Issue => issueAt(source, partsOfPointer(issue.path), issue.message);
  return {
    value: source.value,
    placed: (make) => {
      try {
        return make();
      } catch (error) {
        if (!EngineError.is(error) || error.code !== "invalid_definition" || !error.issues)
          throw error;
        throw new EngineError(error.code, error.message, { issues: error.issues.map(told) });
      }
    },
  };
}

async function readProject(files: Files): Promise<DefinitionBody> {
  const { CrewProject } = await import("../project/crew-project.ts");
  const project = new CrewProject(files);
  const { name: _, ...value } = project.definition(); // a title for people; the crew is stored under the name in the path
  checkDepth(value);
  return { value, placed: (make) => project.placed(make) };
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

/** What cannot be read at all is the request's fault, not the definition's. */
function asInput<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const message = `the request body is not YAML that can be used: ${error.message}`;
    throw new EngineError("invalid_input", message, { issues: error.issues });
  }
}
