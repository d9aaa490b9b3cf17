import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import { keyOfCursor } from "../../parts/cursor.ts";
import { readDefinitionBody } from "../../parts/definition-body.ts";
import { storableDefinition } from "../../parts/definition-specs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { pageQuery } from "../../parts/schemas.ts";
import {
  checkName,
  listBoth,
  refuseGrown,
  refuseRegistered,
} from "../../parts/stored-definitions.ts";
import { crewDefinitionSchema, newCrewDefinition } from "../definition/crew-definition.ts";
import type { CrewPartOptions } from "../crew-part.ts";
import type { Crew } from "../crew.ts";
import { noCrew } from "../definition/find-crew.ts";
import { refuseLacking, type Deployment } from "../definition/deployment-lacks.ts";
import { codeDetails, crewView, detailsOf, storedCrewView, type CrewView } from "./crew-view.ts";

/** A definition under the name of its path. Throws `invalid_input` if it has another. */
function namedAs(expected: string, definition: unknown): unknown {
  if (!isJsonObject(definition)) return definition;
  const name = definition["name"] ?? expected;
  if (name === expected) return { ...definition, name };
  throw invalidInput("the definition does not fit its path", [
    { path: "/name", message: `expected ${preview(expected)} or nothing, got ${preview(name)}` },
  ]);
}

/** `/crews`: registered and stored ones. */
export function crewDefinitionOperations(
  { crews, registry, readers }: CrewPartOptions,
  host: PartHost,
): readonly Operation[] {
  const shared = { group: "Crews", subject: "crew" } as const;
  const { definitions, clock, models, variables } = host;
  const deploymentOf = (tenant: string): Deployment => {
    const { services } = host.placeOf(tenant);
    return { services, models, variables, registry };
  };
  return [
    operation({
      ...shared,
      id: "listCrews",
      method: "get",
      path: "/crews",
      scope: "read",
      summary: "List crews",
      description: "Those of the deployed code first, then stored ones, each by name.",
      query: pageQuery,
      answers: { 200: { description: "A page of crews", shape: "Crew", list: true } },
      problems: [400],
      handle: async ({ tenant, query: { cursor, limit } }) => {
        const deployment = deploymentOf(tenant);
        const json = await listBoth<CrewView>(host, {
          kind: "crew",
          tenant,
          registered: Object.keys(crews),
          ofCode: (name) => crewView(name, "code", crews[name] as Crew),
          ofStored: (row) => {
            const { definition: _, ...view } = storedCrewView(deployment, row);
            return view;
          },
          page: { after: keyOfCursor(cursor), limit },
        });
        return { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "getCrew",
      method: "get",
      path: "/crews/{name}",
      scope: "read",
      summary: "Show a crew",
      answers: { 200: { description: "The crew", shape: "CrewDetails" } },
      problems: [404],
      handle: async ({ tenant, params: { name = "" } }) => {
        if (Object.hasOwn(crews, name))
          return { status: 200, json: codeDetails(name, crews[name] as Crew) };
        const stored = await definitions.get(tenant, "crew", name);
        if (stored === undefined) throw noCrew(name);
        return { status: 200, json: storedCrewView(deploymentOf(tenant), stored) };
      },
    }),
    operation({
      ...shared,
      id: "putCrew",
      method: "put",
      path: "/crews/{name}",
      scope: "admin",
      summary: "Store a crew",
      description:
        'As JSON or YAML, or as the files of a CrewAI project: `{ "files": { "config/agents.yaml": "…", … }, "additions": { "tasks": { … } } }`, in which `additions` has what its crew.py says. It runs at once; runs under way keep the definition they were started with. Tools, functions and shapes are named from the registry; shapes may also stand in `schemas`, as JSON Schema by name. `warnings` has what it goes without in this deployment.',
      rawBody: {
        name: "CrewDefinition",
        schema: crewDefinitionSchema,
        types: ["application/yaml"],
      },
      answers: {
        200: { description: "Replaced", shape: "CrewDetails" },
        201: { description: "New", shape: "CrewDetails" },
      },
      problems: [400, 409, 413, 415],
      example: {
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
      },
      handle: async ({ tenant, params: { name = "" }, raw }) => {
        refuseRegistered(crews, "crew", name);
        checkName("crew", name);
        const sent = await readDefinitionBody(raw, host.maxBodyBytes, readers);
        const named = namedAs(name, sent.value);
        const deployment = deploymentOf(tenant);
        const stored = sent.placed(() => {
          const read = newCrewDefinition(named, registry);
          refuseLacking(read.definition, deployment);
          return read;
        });
        refuseGrown(stored.definition, host);
        const { definitions: rules } = host.placeOf(tenant).environment;
        const owner = `${tenant}/crew/${name}`;
        const definition = await storableDefinition(stored.definition as JsonValue, {
          rules,
          owner,
        });
        const entry = { name, definition, nowMs: clock.now() };
        const isNew = await definitions.put(tenant, "crew", entry);
        const json = detailsOf(name, stored, deployment);
        const location = { location: `/crews/${encodeURIComponent(name)}` };
        return isNew ? { status: 201, json, headers: location } : { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "deleteCrew",
      sample: { after: [{ operation: "putCrew" }] },
      method: "delete",
      path: "/crews/{name}",
      scope: "admin",
      summary: "Delete a stored crew",
      description: "Its runs are kept, and runs in progress continue.",
      answers: { 204: { description: "Deleted" } },
      problems: [404, 409],
      handle: async ({ tenant, params: { name = "" } }) => {
        refuseRegistered(crews, "crew", name);
        if (!(await definitions.delete(tenant, "crew", name))) throw noCrew(name);
        return { status: 204 };
      },
    }),
  ];
}
