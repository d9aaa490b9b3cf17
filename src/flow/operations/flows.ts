import { EngineError } from "../../base/error.ts";
import { keyOfCursor } from "../../parts/cursor.ts";
import { readDefinitionBody } from "../../parts/definition-body.ts";
import { shownDefinition, storableDefinition } from "../../parts/definition-specs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered } from "../../parts/registered.ts";
import { pageQuery } from "../../parts/schemas.ts";
import {
  checkName,
  listBoth,
  refuseGrown,
  refuseRegistered,
} from "../../parts/stored-definitions.ts";
import { needDeclarativeFlows } from "../declarative-flows.ts";
import type { FlowPartOptions } from "../flow-part.ts";
import {
  codeDetails,
  flowView,
  storedFlowView,
  type FlowDetails,
  type FlowView,
} from "./flow-view.ts";
import { flowDefinitionBody } from "./schemas.ts";

/** `/flows`: registered and stored ones. */
export function flowDefinitionOperations(
  options: FlowPartOptions,
  host: PartHost,
): readonly Operation[] {
  const { flows, declarativeFlows, registry, readers } = options;
  const { definitions, clock } = host;
  const shared = { group: "Flows", subject: "flow" } as const;
  return [
    operation({
      ...shared,
      id: "listFlows",
      method: "get",
      path: "/flows",
      scope: "read",
      summary: "List flows",
      description: "Those of the deployed code first, then stored ones, each by name.",
      query: pageQuery,
      answers: { 200: { description: "A page of flows", shape: "Flow", list: true } },
      problems: [400],
      handle: async ({ tenant, query: { cursor, limit } }) => ({
        status: 200,
        json: await listBoth<FlowView>(host, {
          kind: "flow",
          tenant,
          registered: Object.keys(flows),
          ofCode: (name) => flowView(name, "code", findRegistered(flows, name, "flow")),
          ofStored: (row) => {
            const { definition: _, ...view } = storedFlowView(options, row);
            return view;
          },
          page: { after: keyOfCursor(cursor), limit },
        }),
      }),
    }),
    operation({
      ...shared,
      id: "getFlow",
      method: "get",
      path: "/flows/{name}",
      scope: "read",
      summary: "Show a flow",
      answers: { 200: { description: "The flow", shape: "FlowDetails" } },
      problems: [404],
      handle: async ({ tenant, params: { name = "" } }) => {
        if (!Object.hasOwn(flows, name)) {
          const stored = await definitions.get(tenant, "flow", name);
          if (stored !== undefined) return { status: 200, json: storedFlowView(options, stored) };
        }
        return { status: 200, json: codeDetails(name, findRegistered(flows, name, "flow")) };
      },
    }),
    operation({
      ...shared,
      id: "putFlow",
      ...(declarativeFlows === undefined
        ? { sample: { needs: "`declarativeFlows` in the app's `defineApp`" } }
        : undefined),
      method: "put",
      path: "/flows/{name}",
      scope: "admin",
      summary: "Store a flow",
      description:
        'A declaration (`crewai.flow/v1`) as JSON or YAML, or the files of a project: `{ "files": { "flow.yaml": "…", "crews/research.jsonc": "…" } }`. It runs at once; runs under way keep the declaration they were started with. Tools, functions, schemas and crews are named from the registry. 409 where the app takes no flows as data.',
      rawBody: { name: "FlowDefinition", schema: flowDefinitionBody, types: ["application/yaml"] },
      answers: {
        200: { description: "Replaced", shape: "FlowDetails" },
        201: { description: "New", shape: "FlowDetails" },
      },
      problems: [400, 409, 413, 415],
      example: {
        schema: "crewai.flow/v1",
        name: "Triage",
        methods: {
          sort: {
            start: true,
            router: true,
            emit: ["urgent", "later"],
            do: { call: "expression", expr: "state.mail.contains('outage') ? 'urgent' : 'later'" },
          },
          page: {
            listen: "urgent",
            do: { call: "expression", expr: "'Paged: ' + state.mail" },
          },
        },
      },
      handle: async ({ tenant, params: { name = "" }, raw }) => {
        refuseRegistered(flows, "flow", name);
        checkName("flow", name);
        const reader = needDeclarativeFlows(declarativeFlows);
        const sent = await readDefinitionBody(raw, host.maxBodyBytes, {
          ...readers,
          project: (files) => reader.project(files),
        });
        const { declaration, flow } = sent.placed(() =>
          reader.read(sent.value, { name, registry }),
        );
        refuseGrown(declaration, host);
        const { definitions: rules } = host.placeOf(tenant).environment;
        const owner = `${tenant}/flow/${name}`;
        const stored = await storableDefinition(declaration, { rules, owner });
        const entry = { name, definition: stored, nowMs: clock.now() };
        const isNew = await definitions.put(tenant, "flow", entry);
        const json: FlowDetails = {
          ...flowView(name, "stored", flow),
          definition: shownDefinition(stored),
        };
        const location = { location: `/flows/${encodeURIComponent(name)}` };
        return isNew ? { status: 201, json, headers: location } : { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "deleteFlow",
      sample: { after: [{ operation: "putFlow" }] },
      method: "delete",
      path: "/flows/{name}",
      scope: "admin",
      summary: "Delete a stored flow",
      description: "Its runs are kept, and runs in progress continue.",
      answers: { 204: { description: "Deleted" } },
      problems: [404, 409],
      handle: async ({ tenant, params: { name = "" } }) => {
        refuseRegistered(flows, "flow", name);
        if (!(await definitions.delete(tenant, "flow", name)))
          throw new EngineError("not_found", `there is no flow "${name}"`);
        return { status: 204 };
      },
    }),
  ];
}
