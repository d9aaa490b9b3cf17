import { toErrorRecord } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { MethodDefinition } from "../flow-definition.ts";
import type { ServedFlow } from "../served-flow.ts";
import { flowInfo } from "../flow-info.ts";
import type { StoredDefinition } from "../../parts/definition-store.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import type { DeclaredFlow } from "../flow-reader.ts";
import { readStoredFlow, type FlowSources } from "./find-flow.ts";
import type { FlowView, FlowDetails } from "./shapes.ts";

/** A flow of the code with the form of its inputs. */
export function codeDetails(name: string, flow: ServedFlow): FlowDetails {
  const { inputSchema } = flowInfo(flow);
  return { ...flowView(name, "code", flow), inputSchema };
}

export function flowView(
  name: string,
  source: FlowView["source"],
  { definition }: ServedFlow,
): FlowView {
  const { description, conversational, methods } = definition;
  const views = Object.entries(methods).map(([method, shown]) => [method, methodView(shown)]);
  return {
    name,
    source,
    ...(description === undefined ? undefined : { description }),
    ...(conversational === undefined ? undefined : { conversational }),
    methods: Object.fromEntries(views) as Record<string, MethodDefinition>,
  };
}

/** Returns the details of a flow as data. */
export function declaredDetails(name: string, { flow, declaration }: DeclaredFlow): FlowDetails {
  const { inputSchema } = flowInfo(flow);
  const definition = shownDefinition(declaration) as JsonObject;
  return { ...flowView(name, "stored", flow), inputSchema, definition };
}

/** Never throws: a flow that can no longer run must not hide the others. */
export function storedFlowView(
  sources: Omit<FlowSources, "definitions">,
  row: StoredDefinition,
): FlowView {
  const { definition: _, inputSchema: _schema, ...view } = storedFlowDetails(sources, row);
  return view;
}

/** Never throws, as `storedFlowView`. */
export function storedFlowDetails(
  sources: Omit<FlowSources, "definitions">,
  { name, definition }: StoredDefinition,
): FlowDetails {
  try {
    return declaredDetails(name, readStoredFlow(sources, name, definition));
  } catch (error) {
    const record = toErrorRecord(error, "invalid_definition");
    const shown = shownDefinition(definition) as JsonObject;
    return { name, source: "stored", methods: {}, error: record, definition: shown };
  }
}

/** Returns the required fields of the state, by its schema. */
export function requiredInputs(flow: ServedFlow): readonly string[] {
  const { required } = flowInfo(flow).inputSchema;
  return Array.isArray(required) ? required.map(String) : [];
}

/**
 * Returns a method without a model's settings, which may contain secrets. The definition has the action of a declared
 * method.
 */
function methodView(definition: MethodDefinition): MethodDefinition {
  const { humanFeedback, do: _, ...method } = definition;
  if (humanFeedback === undefined) return method;
  const { llm, ...feedback } = humanFeedback;
  return {
    ...method,
    humanFeedback: typeof llm === "string" ? { ...feedback, llm } : feedback,
  };
}
