import { toErrorRecord, type ErrorRecord, type Issue } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import type { CrewDefinition } from "../definition/crew-definition.ts";
import { crewInfo, crewInputSchema } from "../crew-info.ts";
import {
  agentDetails,
  taskDetails,
  type CrewAgentDetails,
  type CrewTaskDetails,
} from "./crew-members.ts";
import type { Crew } from "../crew.ts";
import type { Process } from "../crew-options.ts";
import type { StoredDefinition } from "../../parts/definition-store.ts";
import { readStored } from "../definition/find-crew.ts";
import { warningsOf, type Deployment } from "../definition/deployment-lacks.ts";

/** A crew as the API shows it. `inputs` are those that a run has to give. */
export type CrewView = {
  readonly name: string;
  readonly source: "code" | "stored";
  readonly process: Process;
  readonly agents: ReadonlyArray<{ readonly role: string; readonly goal: string }>;
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    readonly description: string;
    readonly agent: string;
  }>;
  readonly inputs: readonly string[];
  /** What a stored crew goes without here: fields without an effect, keys of models, tools. Each with what to do. */
  readonly warnings?: readonly Issue[];
  /** Why a stored crew cannot run any more, as when a tool that it names is gone. */
  readonly error?: ErrorRecord;
};

/** As `CrewView`, with what was stored, and its agents and tasks in full. */
export type CrewDetails = CrewView & {
  readonly agents: readonly CrewAgentDetails[];
  readonly tasks: readonly CrewTaskDetails[];
  readonly definition?: CrewDefinition;
  /** Of a stored crew. */
  readonly version?: number;
  /** JSON Schema of the inputs. Absent for a crew that cannot run any more. */
  readonly inputSchema?: JsonObject;
  /** JSON Schema of `object` in a run's output, for a crew whose last task has one. */
  readonly outputSchema?: JsonObject;
};

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

/** Never throws: a crew that cannot run any more must not hide the others. */
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
