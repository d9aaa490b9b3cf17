// Crews sent as the files of a CrewAI project. A Worker contains their reader only with `crewProjects()`.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { DefinitionBody, Files } from "../parts/definition-body.ts";

/** Reads crews from the files of a project. Made by `crewProjects()`; an app without it accepts none. */
export type CrewProjects = {
  /** Throws `invalid_definition`, with the place in a file. */
  readonly read: (files: Files, beside: JsonObject) => Promise<DefinitionBody>;
};

/**
 * Accepts CrewAI projects over HTTP, as the texts of their files: `defineApp({ projects: crewProjects() })` for `PUT
 * /crews/:name` with `{ files, additions? }`.
 */
export function crewProjects(): CrewProjects {
  return { read };
}

async function read(files: Files, beside: JsonObject): Promise<DefinitionBody> {
  const { CrewProject } = await import("./crew-project.ts");
  const { additions, ...unknown } = beside;
  const issues = Object.keys(unknown).map((key) => ({
    path: pointerOf([key]),
    message: "is not a known field: beside `files` only `additions` may stand",
  }));
  if (issues.length > 0)
    throw new EngineError("invalid_input", `${issues[0]?.path} ${issues[0]?.message}`, { issues });
  const project = new CrewProject(files, { additions });
  const { name: _, ...value } = project.definition(); // a title for people; the crew is stored under the name in the path
  return { value, placed: (make) => project.placed(make) };
}
