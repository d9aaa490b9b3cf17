import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { log } from "../base/log.ts";
import { newCrewDefinition, readCrewDefinition } from "../crew/definition/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { CrewDefinition } from "../crew/definition/definition-schema.ts";
import type { ProjectAdditions } from "./additions.ts";
import { CrewProject } from "./crew-project.ts";
import type { ProjectFiles } from "./project-files.ts";

/** Options for reading a project. */
export type ProjectOptions = {
  /**
   * Definitions that the project's code adds to its files: agents of tasks, tools, output shapes, the process. @default
   * {}
   */
  readonly additions?: ProjectAdditions | undefined;
  /** Receives warnings, such as differences from CrewAI. @default the process's log */
  readonly onWarning?: ((message: string) => void) | undefined;
};

const OPTIONS = definitionOptions<DefinitionRegistry & ProjectOptions>("crewFromProject()", {
  additions: true,
  onWarning: true,
  tools: true,
  catalogs: true,
  functions: true,
  schemas: true,
  fromData: true,
  asksNobody: true,
});

/**
 * Makes the crew that a project describes. As in CrewAI, its tools act outside of a run without approval; `onWarning`
 * receives a warning for each of them. Throws `invalid_definition` with one issue for each fault.
 */
export function crewFromProject(
  files: ProjectFiles,
  options: DefinitionRegistry & ProjectOptions = {},
): Crew {
  refuseUnknownOptions(options, OPTIONS);
  const {
    additions,
    onWarning = (detail) => log("project_warning", { detail }),
    ...registry
  } = options;
  const project = new CrewProject(files, { additions });
  const definition = project.definition();
  return project.placed(() => {
    const made = newCrewDefinition(definition, { asksNobody: true, ...registry });
    const all = [...project.warnings, ...made.warnings];
    const warnings = new Set(all.map(({ message }) => message));
    if (warnings.size > 0) onWarning([...warnings].join("; "));
    return made.crew;
  });
}

/**
 * Returns the project's definition, in the form that `PUT /crews/:name` takes and stores. Throws as `crewFromProject`.
 */
export function definitionFromProject(
  files: ProjectFiles,
  options: ProjectOptions = {},
): CrewDefinition {
  const project = new CrewProject(files, options);
  const definition = project.definition();
  return project.placed(() => readCrewDefinition(definition));
}
