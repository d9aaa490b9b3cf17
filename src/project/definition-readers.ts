import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { partsOfPointer, pointerOf } from "../base/json-pointer.ts";
import type { DefinitionBody, DefinitionReaders, Files } from "../parts/definition-body.ts";

/** Readers of definitions in YAML and of crew projects. The first use loads them. */
export const definitionReaders: DefinitionReaders = { yaml, project };

async function yaml(name: string, text: string): Promise<DefinitionBody> {
  const { issueAt, readSourceText } = await import("./source-text.ts");
  const source = asInput(() => readSourceText(name, text));
  const withPlace = (issue: Issue): Issue =>
    issueAt(source, partsOfPointer(issue.path), issue.message);
  return {
    value: source.value,
    placed: (make) => {
      try {
        return make();
      } catch (error) {
        if (!EngineError.is(error) || error.code !== "invalid_definition" || !error.issues)
          throw error;
        throw new EngineError(error.code, error.message, { issues: error.issues.map(withPlace) });
      }
    },
  };
}

async function project(files: Files, beside: JsonObject): Promise<DefinitionBody> {
  const { CrewProject } = await import("./crew-project.ts");
  const { additions, ...unknown } = beside;
  const issues = Object.keys(unknown).map((key) => ({
    path: pointerOf([key]),
    message: "is not a known field: beside `files` only `additions` may stand",
  }));
  if (issues.length > 0)
    throw new EngineError("invalid_input", `${issues[0]?.path} ${issues[0]?.message}`, { issues });
  const read = new CrewProject(files, { additions });
  const { name: _, ...value } = read.definition(); // a title for people; the crew is stored under the name in the path
  return { value, placed: (make) => read.placed(make) };
}

/** Reports an unreadable text as a fault of the request, not of the definition. */
function asInput<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const message = `the request body is not YAML that can be used: ${error.message}`;
    throw new EngineError("invalid_input", message, { issues: error.issues });
  }
}
