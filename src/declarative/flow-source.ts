// Source of a declaration: a text with lines and columns, the files of a project, or an object.
import { EngineError, type Issue } from "../base/error.ts";
import { partsOfPointer } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { readCrewDefinition } from "../crew/definition/crew-definition.ts";
import { CrewProject } from "../project/crew-project.ts";
import type { ProjectFiles } from "../project/project-files.ts";
import { issueAt, readSourceText, type SourceText } from "../project/source-text.ts";

/** Maximum length of a flow's text, in characters. */
const MAX_LENGTH = 1024 * 1024;

const FLOW_FILE = /(^|\/)flow\.(ya?ml|jsonc?)$/;

export type FlowSource = {
  /** Declaration as written, with its crew files inlined. */
  readonly value: unknown;
  /** Uses the value; errors get line and column, if known. */
  readonly placed: <Made>(make: () => Made) => Made;
};

/** Returns a source for an object. */
export function objectSource(value: unknown): FlowSource {
  return { value, placed: (make) => make() };
}

/**
 * Reads a text of YAML or JSON. `files` are the files for `from_declaration`, by their paths from the text's own
 * folder. Throws `invalid_definition` with line and column for an unreadable text.
 */
export function textSource(
  text: string,
  {
    file,
    files = {},
  }: { readonly file?: string | undefined; readonly files?: ProjectFiles | undefined },
): FlowSource {
  if (text.length > MAX_LENGTH)
    throw new EngineError(
      "invalid_definition",
      `a flow may have at most ${MAX_LENGTH} characters, got ${text.length}`,
    );
  const name = file ?? (/^\s*\{/.test(text) ? "flow.json" : "flow.yaml");
  const source = readText(name, text);
  return {
    value: withCrews(source.value, files),
    placed: (make) =>
      withPlaces(make, (issue) => issueAt(source, partsOfPointer(issue.path), issue.message)),
  };
}

/** The files of a project, of which one is `flow.yaml`, `.yml`, `.json` or `.jsonc`. */
export function filesSource(files: ProjectFiles): FlowSource {
  const file = Object.keys(files).find((path) => FLOW_FILE.test(path));
  if (file === undefined)
    throw new EngineError(
      "invalid_definition",
      `a flow project needs flow.yaml or flow.jsonc, got ${Object.keys(files).join(", ") || "no file"}`,
    );
  const folder = file.replace(/[^/]*$/, "");
  return textSource(files[file] ?? "", { file, files: below(folder, files) });
}

function readText(name: string, text: string): SourceText {
  try {
    return readSourceText(name, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EngineError("invalid_definition", `${name} is nested too deep to be read`, {
      cause: error,
    });
  }
}

function withPlaces<Made>(make: () => Made, place: (issue: Issue) => Issue): Made {
  try {
    return make();
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "invalid_definition" || error.issues === undefined)
      throw error;
    const issues = error.issues.map(place);
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
    const message = `the flow cannot be used: ${issues[0]?.message ?? ""}${more}`;
    throw new EngineError(error.code, message, { issues });
  }
}

/** Returns the declaration with each crew among `files` in place of its file name. */
function withCrews(value: unknown, files: ProjectFiles): unknown {
  if (Object.keys(files).length === 0 || !isJsonObject(value)) return value;
  const inlined = (each: JsonValue): JsonValue => {
    if (Array.isArray(each)) return (each as readonly JsonValue[]).map(inlined);
    if (!isJsonObject(each)) return each;
    const object: JsonObject = each;
    const named = object["from_declaration"] ?? object["fromDeclaration"];
    const crew =
      object["call"] === "crew" && typeof named === "string" ? crewAt(named, files) : undefined;
    if (crew === undefined)
      return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, inlined(item)]));
    const { from_declaration: _, fromDeclaration: __, ...rest } = object;
    return { ...rest, with: crew };
  };
  return inlined(value);
}

/** Throws `invalid_definition` with file, line and column for an unreadable crew. */
function crewAt(path: string, files: ProjectFiles): JsonObject | undefined {
  const wanted = path.split("/").filter((part) => part !== "." && part !== "");
  const file = [
    wanted.join("/"),
    ...["jsonc", "json"].map((end) => [...wanted, `crew.${end}`].join("/")),
  ].find((name) => Object.hasOwn(files, name));
  if (file === undefined) return undefined;
  const folder = file.replace(/[^/]*$/, "");
  const near = Object.entries(files).filter(([each]) => each.startsWith(folder));
  const project = new CrewProject(Object.fromEntries(near), { root: file });
  const { name, ...definition } = project.definition();
  project.placed(() => readCrewDefinition(definition));
  return name === undefined ? definition : { name, ...definition };
}

function below(folder: string, files: ProjectFiles): ProjectFiles {
  return Object.fromEntries(
    Object.entries(files).flatMap(([path, text]): [string, string][] =>
      path.startsWith(folder) ? [[path.slice(folder.length), text]] : [],
    ),
  );
}
