/** Projects of CrewAI: their files, and crews as classes. */

/** The base of a crew class over `agents.yaml` and `tasks.yaml`. */
export { CrewBase, type CrewBaseOptions, type CrewObject } from "./crew-base.ts";
/** The decorators of crew classes. */
export {
  afterKickoff,
  agent,
  beforeKickoff,
  callback,
  crew,
  llm,
  output,
  task,
  tool,
} from "./crew-parts.ts";
/** A crew from the texts of a project's files. */
export {
  crewFromProject,
  definitionFromProject,
  type ProjectOptions,
} from "./crew-from-project.ts";
/** Crews over HTTP as the files of a project. */
export { crewProjects, type CrewProjects } from "./crew-projects.ts";
export type { ProjectFiles } from "./project-files.ts";
export type { ProjectAdditions } from "./additions.ts";
export type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
