import { EngineError, type Issue } from "../base/error.ts";
import { partsOfPointer } from "../base/json-pointer.ts";
import type { DefinitionBody, DefinitionReaders } from "../parts/definition-body.ts";
import type { CrewProjects } from "./crew-projects.ts";

/** Readers of definitions in YAML, loaded at the first use, and of crew projects, if the app accepts them. */
export function definitionReaders(projects: CrewProjects | undefined): DefinitionReaders {
  return { yaml, project: projects?.read ?? refuseProject };
}

function refuseProject(): never {
  throw new EngineError(
    "conflict",
    "this app accepts no files of projects: it has `projects: false`",
  );
}

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
