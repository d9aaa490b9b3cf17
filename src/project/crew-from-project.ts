import { log } from "../base/log.ts";
import {
  newCrewDefinition,
  readCrewDefinition,
  type CrewDefinition,
} from "../crew/definition/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { ProjectAdditions } from "./additions.ts";
import { CrewProject } from "./crew-project.ts";
import type { ProjectFiles } from "./project-files.ts";

/** What is read of a project beside its files. */
export type ProjectOptions = {
  /** What the project's code says beside the files: the agents of tasks, tools, output shapes, the process. @default {} */
  readonly additions?: ProjectAdditions | undefined;
  /** Told what is not as in CrewAI, or worth to know. @default the process's log */
  readonly onWarning?: ((message: string) => void) | undefined;
};

/**
 * Makes the crew that a project describes. As in CrewAI, its tools ask nobody before they act outside of a run; `onWarning` is told
 * which do. Throws `invalid_definition` with one issue for each thing that is wrong.
 */
export function crewFromProject(
  files: ProjectFiles,
  options: DefinitionRegistry & ProjectOptions = {},
): Crew {
  const {
    additions,
    onWarning = (detail) => log("project_warning", { detail }),
    ...registry
  } = options;
  const project = new CrewProject(files, { additions });
  const definition = project.definition();
  return project.placed(() => {
    const made = newCrewDefinition(definition, { asksNobody: true, ...registry });
    const warnings = new Set(made.warnings.map(({ message }) => message));
    if (warnings.size > 0) onWarning([...warnings].join("; "));
    return made.crew;
  });
}

/** The definition that a project amounts to, as `PUT /crews/:name` takes and stores it. Throws as `crewFromProject`. */
export function definitionFromProject(
  files: ProjectFiles,
  options: ProjectOptions = {},
): CrewDefinition {
  const project = new CrewProject(files, options);
  const definition = project.definition();
  return project.placed(() => readCrewDefinition(definition));
}
