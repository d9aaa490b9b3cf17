import { inLanes } from "../../graph/in-lanes.ts";
import { graphOfCrew } from "../graph-of-crew.ts";
import type { JsonValue } from "../../base/json.ts";
import type { DefinitionKindSpec, ReadDefinition } from "../../parts/definition-kind.ts";
import { definitionOperations } from "../../parts/definition-operations.ts";
import type { Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered } from "../../parts/registered.ts";
import { namedAs } from "../../parts/stored-definitions.ts";
import type { CrewPartOptions } from "../crew-part-options.ts";
import { crewDefinitionSchema, newCrewDefinition } from "../definition/crew-definition.ts";
import type { Crew } from "../crew.ts";
import type { CrewDefinition } from "../definition/definition-schema.ts";
import { readStored } from "../definition/find-crew.ts";
import { refuseLacking, warningsOf, type Deployment } from "../definition/deployment-lacks.ts";
import {
  codeDetails,
  crewView,
  detailsOf,
  storedCrewDetails,
  storedCrewView,
} from "./crew-view.ts";
import { crewShape, crewDetailsShape, type CrewView, type CrewDetails } from "./shapes.ts";

const EXAMPLE = {
  agents: {
    writer: {
      role: "Writer",
      goal: "Write about {topic}",
      backstory: "You write short and clear.",
    },
  },
  tasks: [
    {
      name: "draft",
      description: "Write a paragraph about {topic}",
      expectedOutput: "One paragraph",
      agent: "writer",
    },
  ],
};

/** `/crews`: registered and stored ones. */
export function crewDefinitionOperations(
  { crews, registry, readers }: CrewPartOptions,
  host: PartHost,
): readonly Operation[] {
  const { models, variables } = host;
  const deploymentOf = (tenant: string): Deployment => {
    const { services } = host.placeOf(tenant);
    return { services, models, variables, registry };
  };
  const ofCode = (name: string): Crew => findRegistered(crews, name, "crew");
  function readAs(
    tenant: string,
    name: string,
    read: { readonly definition: CrewDefinition; readonly crew: Crew },
  ): ReadDefinition<CrewDetails> {
    const deployment = deploymentOf(tenant);
    refuseLacking(read.definition, deployment);
    return {
      definition: read.definition as JsonValue,
      details: () => detailsOf(name, read, deployment),
      inputs: read.crew.requiredInputs,
      ignored: warningsOf(read, deployment),
      graph: () => inLanes(graphOfCrew(name, read.crew), {}),
    };
  }
  const spec: DefinitionKindSpec<CrewView, CrewDetails> = {
    kind: "crew",
    title: "Crew",
    shapes: { view: crewShape, details: crewDetailsShape },
    registered: crews,
    ofCode: {
      view: (name) => crewView(name, "code", ofCode(name)),
      details: (name) => codeDetails(name, ofCode(name)),
    },
    ofStored: {
      view: (tenant, row) => storedCrewView(deploymentOf(tenant), row),
      details: (tenant, row) => storedCrewDetails(deploymentOf(tenant), row),
    },
    readers: () => readers,
    read: (tenant, name, sent) =>
      readAs(tenant, name, newCrewDefinition(namedAs(name, sent), registry)),
    readStored: (tenant, name, stored) => readAs(tenant, name, readStored(registry, stored)),
    body: {
      schema: crewDefinitionSchema,
      description:
        'As JSON or YAML, or as the files of a CrewAI project: `{ "files": { "config/agents.yaml": "…", … }, "additions": { "tasks": { … } } }`, in which `additions` has what its crew.py says. It runs at once; runs under way keep the definition they were started with. Tools, functions and shapes are named from the registry; shapes may also stand in `schemas`, as JSON Schema by name. `warnings` has what it goes without in this deployment.',
    },
    example: EXAMPLE,
  };
  return definitionOperations(spec, host);
}
