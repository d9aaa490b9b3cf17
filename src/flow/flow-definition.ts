// A flow as data: its methods and their conditions. The builder, the decorators and the YAML form all make one.
import { EngineError, type Issue } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { checkCondition, namesIn, type Condition } from "./condition.ts";
import { checkFeedback, type FeedbackDefinition } from "./feedback.ts";

export type MethodDefinition = {
  /** Description for people; shown by the API and in pictures of the flow. */
  readonly description?: string;
  /** `true`: runs when the flow starts. A condition: runs when a router returns the label. @default not a start */
  readonly start?: true | Condition;
  /** Runs when a method ends or a router returns a label: `"draft"`, `and("a", "b")`, `or("a", "b")`. @default none */
  readonly listen?: Condition;
  /** Makes the result a label for the methods that listen to it. @default false */
  readonly router?: boolean;
  /** Possible labels of the router. If every router has them, unknown labels are errors. @default unknown */
  readonly emit?: readonly string[];
  /** Asks a person to review the result. With its own `emit`, the answer is the method's label. @default none */
  readonly humanFeedback?: FeedbackDefinition;
  /** Saves the state after the method. @default the flow's `persist` */
  readonly persist?: boolean;
  /** Action of a method as data; see src/declarative. */
  readonly do?: JsonObject;
};

export type FlowDefinition = {
  readonly name: string;
  readonly description?: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
  /** Saves the state after every method, and restores it by `inputs.id`. @default false */
  readonly persist?: boolean;
  /** State of a flow as data; see src/declarative. */
  readonly state?: JsonObject;
  /** It takes turns of a conversation; made by `conversational()`. */
  readonly conversational?: true;
  readonly config?: FlowConfig;
};

export type FlowConfig = {
  /** Maximum number of calls of one method in one execution; more fail the flow with `limit_exceeded`. @default 100 */
  readonly maxMethodCalls?: number;
  /** Leaves out the events of methods; those of the flow itself are still emitted. @default false */
  readonly suppressFlowEvents?: boolean;
  /** `"crewai"` follows CrewAI where Edgecrew's rules differ; docs/flows.md lists the differences. @default none */
  readonly compat?: "crewai";
};

/** Returns the field `config` with the set options; empty if all are left out. */
export function configField({
  maxMethodCalls,
  suppressFlowEvents,
  compat,
}: {
  readonly [Field in keyof FlowConfig]: FlowConfig[Field] | undefined;
}): Pick<FlowDefinition, "config"> {
  const config: FlowConfig = {
    ...(maxMethodCalls === undefined ? undefined : { maxMethodCalls }),
    ...(suppressFlowEvents === undefined ? undefined : { suppressFlowEvents }),
    ...(compat === undefined ? undefined : { compat }),
  };
  return Object.keys(config).length === 0 ? {} : { config };
}

const METHOD_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
export const DEFAULT_MAX_METHOD_CALLS = 100;

/**
 * Refuses a flow unable to run as intended. Throws `invalid_definition` and names the method, with an issue for each
 * fault.
 */
export function checkFlow({ name, methods, config = {}, conversational }: FlowDefinition): void {
  const { maxMethodCalls = DEFAULT_MAX_METHOD_CALLS, compat } = config;
  if (!Number.isInteger(maxMethodCalls) || maxMethodCalls < 1)
    throw invalid(
      `flow "${name}": maxMethodCalls must be an integer >= 1, got ${preview(maxMethodCalls)}`,
    );
  if (compat !== undefined && compat !== "crewai")
    throw invalid(`flow "${name}": compat must be "crewai", got ${preview(compat)}`);
  const entries = Object.entries(methods);
  if (!entries.some(([, method]) => method.start !== undefined))
    throw invalid(`flow "${name}" has no start: mark at least one method as one`);
  const faults = entries.flatMap(([method, definition]) =>
    faultsOf(name, { method, conversational }, definition),
  );
  refuse(faults.length > 0 ? faults : strangers(name, entries));
}

function faultsOf(
  flow: string,
  named: { method: string; conversational: true | undefined },
  definition: MethodDefinition,
): readonly Issue[] {
  const { method } = named;
  try {
    checkMethod(`flow "${flow}": method ${method}`, named, definition);
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [{ path: `/methods/${pointerPart(method)}`, message: error.message }];
  }
}

function refuse(issues: readonly Issue[]): void {
  const [first] = issues;
  if (first !== undefined) throw new EngineError("invalid_definition", first.message, { issues });
}

function checkMethod(
  where: string,
  { method, conversational }: { method: string; conversational: true | undefined },
  { start, listen, router, emit, humanFeedback }: MethodDefinition,
): void {
  if (humanFeedback !== undefined) checkFeedback(humanFeedback, where);
  if (!METHOD_NAME.test(method))
    throw invalid(
      `${where} must be named with letters, digits and underscores, and not begin with a digit`,
    );
  if (start !== undefined && start !== true) checkCondition(start, `${where}: start`);
  if (listen === undefined) {
    if (start === undefined) throw invalid(`${where} is never triggered: set start or listen`);
  } else if (namesIn(checkCondition(listen, `${where}: listen`)).has(method)) {
    throw invalid(
      `${where} listens to itself: names of methods and labels of routers share one namespace, so rename the label or the method${conversational ? ": the routes of a conversation are such labels, so the method for the route needs another name" : ""}`,
    );
  }
  if (emit !== undefined && router !== true) throw invalid(`${where} has emit but is not a router`);
}

/** Returns an issue for each unknown name, if every router declares its labels. */
function strangers(
  flow: string,
  entries: ReadonlyArray<readonly [string, MethodDefinition]>,
): readonly Issue[] {
  const labelsOf = entries
    .filter(([, method]) => isRouter(method))
    .map(([, method]) => labelsFrom(method));
  if (labelsOf.includes(undefined)) return [];
  const labels = labelsOf.flatMap((each) => each ?? []);
  const known = new Set([...entries.map(([method]) => method), ...labels]);
  const startsByLabel = entries.some(([, { start }]) => start === true);
  return entries.flatMap(([method, { start, listen }]) =>
    [startsByLabel && start !== true ? start : undefined, listen]
      .flatMap((condition) => (condition === undefined ? [] : [...namesIn(condition)]))
      .filter((each) => !known.has(each))
      .map((stranger) => ({
        path: `/methods/${pointerPart(method)}`,
        message: `flow "${flow}": method ${method} waits for "${stranger}", which is no method and no router's label; known: ${[...known].join(", ")}`,
      })),
  );
}

/** True if a method's result is a label. */
export function isRouter({ router, humanFeedback }: MethodDefinition): boolean {
  return router === true || humanFeedback?.emit !== undefined;
}

/** Returns the possible labels of a router; undefined if it declares none. */
export function labelsFrom({
  emit,
  humanFeedback,
}: MethodDefinition): readonly string[] | undefined {
  return humanFeedback?.emit ?? emit;
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
