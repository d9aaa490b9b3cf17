import { graphOperation } from "../graph/graph-operation.ts";
import type { Graph, GraphQuery } from "../wire/graph.ts";
import { inRows } from "../graph/in-rows.ts";
import type { JsonValue } from "../base/json.ts";
import { EngineError } from "../base/error.ts";
import { checkInputs } from "../base/interpolate.ts";
import type { Part, Subject } from "../parts/part.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import type { RunStart } from "../runtime/run.ts";
import { conversationEvents } from "./conversational/events.ts";
import type { ServedFlow } from "./served-flow.ts";
import { flowInfo } from "./flow-info.ts";
import { flowEvents } from "./events.ts";
import { findFlow, readStoredFlow } from "./operations/find-flow.ts";
import { flowPictureOperations } from "./operations/flow-pictures.ts";
import { flowStateOperations } from "./operations/flow-states.ts";
import { flowDefinitionOperations } from "./operations/flows.ts";
import { plotProblems } from "./operations/plots.ts";
import { flowRun } from "./operations/run-shapes.ts";
import { flowWays } from "./operations/flow-ways.ts";
import { sessionOperations } from "./operations/sessions.ts";
import { wayOperations } from "../starts/start-way.ts";
import type { FlowPartOptions } from "./flow-part-options.ts";
import { needDeclarativeFlows } from "./flow-reader.ts";

/** Part of a Worker for flows. It comes with a flow (`BuiltFlow.part`), so a Worker without flows does not carry it. */
export function flowPart(
  settings: Omit<FlowPartOptions, "flows"> & { readonly flows: Versioned<ServedFlow> },
): Part {
  const versions = new VersionedDefinitions(settings.flows);
  const options: FlowPartOptions = {
    ...settings,
    flows: versions.current,
    registry: { ...settings.registry, fromData: true },
  };
  const { flows } = options;
  const ways = flowWays(options);
  return {
    name: "flows",
    docs: "flows.md",
    events: [...flowEvents, ...conversationEvents],
    migrations: ["0007_flow_states.sql", "0031_flow_sessions.sql"],
    kinds: {
      flow: {
        schemas: flowRun,
        program: (start) => flowOf(start, versions, options).program(start.entry),
        version: ({ name, definition }) =>
          definition === undefined ? versions.currentVersion(name) : undefined,
        ways,
        subjects: {
          names: () => Object.keys(flows),
          get: (name) =>
            Object.hasOwn(flows, name) ? subjectOf(name, flows[name] as ServedFlow) : undefined,
          read: (name, stored) => {
            const { flow, declaration } = readStoredFlow(options, name, stored);
            return subjectOf(name, flow, declaration);
          },
        },
      },
    },
    bind: (host) => ({
      operations: [
        ...flowDefinitionOperations(options, host),
        graphOperation({
          id: "flowGraph",
          path: "/flows/{name}/graph",
          group: "Flows",
          subject: "flow",
          what: "a flow",
          find: async (tenant, name, query) => {
            const sources = { ...options, definitions: host.definitions };
            const found = await findFlow(sources, tenant, { name });
            return graphOf(name, found.flow, query);
          },
        }),
        ...flowPictureOperations(options, host),
        ...wayOperations(ways, host),
        ...sessionOperations(options, host),
        ...flowStateOperations(options, host),
      ],
      problems: plotProblems(flows),
    }),
  };
}

function subjectOf(name: string, flow: ServedFlow, definition?: JsonValue): Subject {
  const { conversation } = flow;
  return {
    about: () => flowInfo(flow),
    requiredInputs: [], // the flow's own schema has the required inputs
    graph: (query) => graphOf(name, flow, query),
    forkFrom: () => ({ fromMethod: firstMethod(flow) }),
    start: (own, files) => {
      const inputs = { ...files, ...own };
      checkInputs(inputs);
      flow.checkKickoff(inputs);
      const start = { kind: "flow", name, inputs } as const;
      return definition === undefined ? start : { ...start, definition };
    },
    ...(conversation === undefined
      ? undefined
      : {
          turn: ({ message, sessionId, inputs }) => {
            checkInputs(inputs);
            conversation.checkTurn({ message, sessionId, inputs });
            const entry = conversation.entry({ message, sessionId, inputs });
            const start = { kind: "flow", name, inputs, entry } as const;
            return definition === undefined ? start : { ...start, definition };
          },
        }),
  };
}

async function graphOf(
  name: string,
  { definition }: ServedFlow,
  query: GraphQuery,
): Promise<Graph> {
  const { graphOfFlow } = await import("./plot/graph-of-flow.ts");
  return inRows(graphOfFlow(name, definition), query);
}

function firstMethod({ definition }: ServedFlow): string {
  const [name = ""] =
    Object.entries(definition.methods).find(([, { start }]) => start === true) ?? [];
  return name;
}

function flowOf(
  start: RunStart,
  versions: VersionedDefinitions<ServedFlow>,
  { declarativeFlows, registry }: FlowPartOptions,
): ServedFlow {
  const { name, definition } = start;
  if (definition !== undefined)
    return needDeclarativeFlows(declarativeFlows).read(definition, { name, registry }).flow;
  const flow = versions.find(start);
  if (flow !== undefined) return flow;
  throw new EngineError(
    "not_found",
    `flow "${name}" is not registered in this deployment any more`,
  );
}
