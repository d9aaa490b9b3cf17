import { toErrorRecord } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import { crewInfo, crewInputSchema } from "../crew-info.ts";
import { agentDetails, taskDetails } from "./crew-members.ts";
import type { Crew } from "../crew.ts";
import type { StoredDefinition } from "../../parts/definition-store.ts";
import type { CrewDefinition } from "../definition/definition-schema.ts";
import { readStored } from "../definition/find-crew.ts";
import { warningsOf, type Deployment } from "../definition/deployment-lacks.ts";
import type { CrewView, CrewDetails } from "./shapes.ts";

/** A crew of the code in full. */
export function codeDetails(name: string, crew: Crew): CrewDetails {
  return wholeCrew(name, "code", crew);
}

function wholeCrew(name: string, source: CrewView["source"], crew: Crew): CrewDetails {
  const { outputSchema } = crewInfo(crew);
  const view = crewView(name, source, crew);
  return {
    ...view,
    agents: crew.agents.map((agent) => agentDetails(agent, crew)),
    tasks: crew.tasks.map((task, index) =>
      taskDetails(view.tasks[index] as CrewView["tasks"][number], task),
    ),
    inputSchema: crewInputSchema(crew),
    ...(outputSchema === undefined ? undefined : { outputSchema }),
  };
}

export function crewView(name: string, source: CrewView["source"], crew: Crew): CrewView {
  return {
    name,
    source,
    process: crew.process,
    agents: crew.agents.map(({ role, goal }) => ({ role, goal })),
    tasks: crew.tasks.map(({ label, description, agent }) => ({
      name: label,
      description,
      agent: (crew.manager ?? agent)?.role ?? "",
    })),
    inputs: crew.requiredInputs,
  };
}

/** A stored crew with its definition and its warnings. */
export function detailsOf(
  name: string,
  stored: { readonly definition: CrewDefinition; readonly crew: Crew },
  deployment: Deployment,
): CrewDetails {
  const warnings = warningsOf(stored, deployment);
  return {
    ...wholeCrew(name, "stored", stored.crew),
    ...(warnings.length === 0 ? undefined : { warnings }),
    definition: shownDefinition(stored.definition as JsonValue) as CrewDefinition,
  };
}

/** Never throws: a crew that can no longer run must not hide the others. */
export function storedCrewView(deployment: Deployment, row: StoredDefinition): CrewView {
  const { name, source, process, agents, tasks, inputs, warnings, error } = storedCrewDetails(
    deployment,
    row,
  );
  return {
    name,
    source,
    process,
    agents: agents.map(({ role, goal }) => ({ role, goal })),
    tasks: tasks.map(({ name: label, description, agent }) => ({
      name: label,
      description,
      agent,
    })),
    inputs,
    ...(warnings === undefined ? undefined : { warnings }),
    ...(error === undefined ? undefined : { error }),
  };
}

/** Never throws, as `storedCrewView`. */
export function storedCrewDetails(
  deployment: Deployment,
  { name, definition }: StoredDefinition,
): CrewDetails {
  try {
    return detailsOf(name, readStored(deployment.registry, definition), deployment);
  } catch (error) {
    const view = {
      name,
      source: "stored",
      process: "sequential",
      agents: [],
      tasks: [],
      inputs: [],
    } as const;
    return {
      ...view,
      error: toErrorRecord(error, "invalid_definition"),
      definition: shownDefinition(definition) as CrewDefinition,
    };
  }
}
