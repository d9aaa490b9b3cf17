import { inRows } from "../../graph/in-rows.ts";
import type { DefinitionKindSpec, ReadDefinition } from "../../parts/definition-kind.ts";
import { definitionOperations } from "../../parts/definition-operations.ts";
import type { Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { findRegistered } from "../../parts/registered.ts";
import type { ServedFlow } from "../served-flow.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import { needDeclarativeFlows, type DeclaredFlow } from "../flow-reader.ts";
import { readStoredFlow } from "./find-flow.ts";
import {
  codeDetails,
  declaredDetails,
  flowView,
  requiredInputs,
  storedFlowDetails,
  storedFlowView,
} from "./flow-view.ts";
import { flowDefinitionBody } from "./schemas.ts";
import { flowShape, flowDetailsShape, type FlowView, type FlowDetails } from "./shapes.ts";

const EXAMPLE = {
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
};

const readAs = (name: string, read: DeclaredFlow): ReadDefinition<FlowDetails> => ({
  definition: read.declaration,
  details: () => declaredDetails(name, read),
  inputs: requiredInputs(read.flow),
  ignored: [],
  graph: async () => {
    const { graphOfFlow } = await import("../plot/graph-of-flow.ts");
    return inRows(graphOfFlow(name, read.flow.definition), {});
  },
});

/** `/flows`: registered and stored ones. */
export function flowDefinitionOperations(
  options: FlowPartOptions,
  host: PartHost,
): readonly Operation[] {
  const { flows, declarativeFlows, registry, readers } = options;
  const ofCode = (name: string): ServedFlow => findRegistered(flows, name, "flow");
  const spec: DefinitionKindSpec<FlowView, FlowDetails> = {
    kind: "flow",
    title: "Flow",
    shapes: { view: flowShape, details: flowDetailsShape },
    registered: flows,
    ofCode: {
      view: (name) => flowView(name, "code", ofCode(name)),
      details: (name) => codeDetails(name, ofCode(name)),
    },
    ofStored: {
      view: (_, row) => storedFlowView(options, row),
      details: (_, row) => storedFlowDetails(options, row),
    },
    readers: () => {
      const reader = needDeclarativeFlows(declarativeFlows);
      return { ...readers, project: (files) => reader.project(files) };
    },
    read: (_, name, sent) =>
      readAs(name, needDeclarativeFlows(declarativeFlows).read(sent, { name, registry })),
    readStored: (_, name, stored) => readAs(name, readStoredFlow(options, name, stored)),
    body: {
      schema: flowDefinitionBody,
      description:
        'A declaration (`crewai.flow/v1`) as JSON or YAML, or the files of a project: `{ "files": { "flow.yaml": "…", "crews/research.jsonc": "…" } }`. It runs at once; runs under way keep the declaration they were started with. Tools, functions, schemas and crews are named from the registry. 409 where the app takes no flows as data.',
    },
    example: EXAMPLE,
    needs:
      declarativeFlows === undefined ? "`declarativeFlows` in the app's `defineApp`" : undefined,
  };
  return definitionOperations(spec, host);
}
