import { EngineError, errorMessage } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview, type JsonValue } from "../base/json.ts";
import type { WaitRequest } from "../journal/journal-store.ts";
import type { Message } from "../llm/language-model.ts";

/** The context of every hook. */
export type HookContext = {
  readonly point: HookPoint;
  readonly runId: string;
  /** Place of the call in the run: `task:research/turn:3`. */
  readonly path: string;
  readonly crewName?: string;
  readonly flowName?: string;
  readonly agentRole?: string;
  readonly taskName?: string;
  /**
   * Asks a person and waits for any length of time, with no code running. The hooks of this place then run again from
   * their start, and get the recorded answer.
   */
  readonly requestHumanInput: (request: string | Omit<WaitRequest, "kind">) => Promise<{
    readonly feedback?: string;
    readonly approve?: boolean;
    readonly value?: JsonValue;
  }>;
  /** Performs an effect of the hook once: when the hook runs again, it gets the stored result. */
  readonly step: <T>(name: string, action: () => Promise<T>) => Promise<T>;
};

type Inputs = Record<string, JsonValue>;

/** A task's output in JSON form. */
type TaskPayload = {
  raw: string;
  object?: JsonValue;
  readonly name: string;
  readonly description: string;
  readonly agent: string;
};

/** Output of a crew, or of a single agent, which has no tasks; in JSON form. */
type OutputPayload = {
  raw: string;
  object?: JsonValue;
  readonly tasks?: TaskPayload[];
  /** Result of a flow; `raw` is its text. A change of the result takes precedence over a change of `raw`. */
  value?: JsonValue;
};

/** A method of a flow, with its argument as `_0`, if it has one. */
type BeforeMethod = { readonly kind: "flow_method"; readonly stepName: string; payload: Inputs };
/** Result of a flow's method: its return value, the label of a person's feedback, or the feedback. */
type AfterMethod = {
  readonly kind: "flow_method";
  readonly stepName: string;
  payload: JsonValue;
  readonly output: JsonValue;
};

type ModelContext = HookContext & {
  /** Messages for the model. Changes apply to this one call: the agent's conversation stays unchanged. */
  messages: Message[];
  /** Id of the model. */
  readonly model: string;
};

type ToolCallContext = HookContext & {
  /** Name in the form used by models. */
  readonly toolName: string;
  readonly toolDescription: string;
};

/** Argument of a hook, by its point. */
export type HookContexts = {
  /** Inputs of a crew; for a single agent its request, `{ messages, inputs }`. */
  execution_start: HookContext & { payload: Inputs; readonly inputs: Inputs };
  input: HookContext & { payload: Inputs; readonly inputs: Inputs };
  output: HookContext & { payload: OutputPayload; readonly output: OutputPayload };
  execution_end: HookContext & {
    /** Null when the execution failed. */
    payload: OutputPayload | null;
    readonly output: OutputPayload | null;
    readonly status: "completed" | "failed";
    readonly error?: { readonly code: string; readonly message: string };
  };
  pre_model_call: ModelContext;
  /** Not called for responses with tool calls. */
  post_model_call: Omit<ModelContext, "messages"> & {
    readonly messages: readonly Message[];
    /** JSON text if the model was asked for JSON; a change that does not fit the schema is ignored. */
    response: string;
  };
  pre_tool_call: ToolCallContext & { toolInput: Inputs };
  /** Called for blocked and failed calls, too. */
  post_tool_call: ToolCallContext & {
    readonly toolInput: Inputs;
    /** Text for the model. */
    toolResult: string;
    /** The tool's own result, as JSON, or the message of its failure; absent if the tool was not run. */
    readonly rawToolResult?: JsonValue;
    readonly outcome: "result" | "failure" | "blocked";
  };
  pre_step: HookContext &
    (
      | {
          readonly kind: "task";
          readonly stepName: string;
          /** The context of the task. */
          payload: string;
        }
      | BeforeMethod
    );
  post_step: HookContext &
    (
      | {
          readonly kind: "task";
          readonly stepName: string;
          payload: TaskPayload;
          readonly output: TaskPayload;
        }
      | AfterMethod
    );
};

/** A place in a run where hooks are called. */
export type HookPoint = keyof HookContexts;

/** Allowed return values of a hook; undefined keeps the value, including changes made in place. */
export type HookReturn<Point extends HookPoint> = Point extends "pre_model_call" | "pre_tool_call"
  ? boolean | void
  : Point extends "post_model_call" | "post_tool_call"
    ? string | null | void
    : HookContexts[Point] extends { payload: infer Payload }
      ? Payload | null | void
      : never;

/** Conditions for calling a hook; without filters it is always called. */
export type HookFilters = {
  /** Only for agents of these roles. */
  readonly agents?: readonly string[];
  /** Only for these tools, in any spelling. */
  readonly tools?: readonly string[];
};

/** Code for one point of runs. Make one with `on()`. */
export type Hook = HookFilters & {
  readonly point: HookPoint;
  readonly run: (context: never) => unknown;
};

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Further hooks: `app` before a crew's and an agent's own, `scoped` after them. */
    readonly hooks?: { readonly app?: readonly Hook[]; readonly scoped?: readonly Hook[] };
  }
}

const POINTS: ReadonlySet<string> = new Set([
  "execution_start",
  "input",
  "output",
  "execution_end",
  "pre_model_call",
  "post_model_call",
  "pre_tool_call",
  "post_tool_call",
  "pre_step",
  "post_step",
] satisfies HookPoint[]);
const WITHOUT_AGENT: ReadonlySet<string> = new Set([
  "execution_start",
  "input",
  "output",
  "execution_end",
] satisfies HookPoint[]);

/** Thrown by a hook to stop its subject: a model call or a task fails, a tool is not run, an execution ends. */
export class HookAborted extends EngineError {
  readonly reason: string;
  readonly source: string | undefined;

  constructor(reason: string, source?: string) {
    super("hook_aborted", source === undefined ? reason : `${source}: ${reason}`);
    this.reason = reason;
    this.source = source;
  }
}

/** Creates a hook for one point of runs. Throws `invalid_definition` for an unknown point, or unsupported filters. */
export function on<Point extends HookPoint>(
  point: Point,
  run: (context: HookContexts[Point]) => HookReturn<Point> | Promise<HookReturn<Point>>,
  filters: HookFilters = {},
): Hook {
  if (!POINTS.has(point))
    throw invalidDefinition(
      `hook: the point must be one of ${[...POINTS].join(", ")}, got ${preview(point)}`,
    );
  if (typeof run !== "function")
    throw invalidDefinition(`hook ${point}: expected a function, got ${preview(run)}`);
  const { agents, tools } = filters;
  if (tools !== undefined && point !== "pre_tool_call" && point !== "post_tool_call")
    throw invalidDefinition(
      `hook ${point}: tools is a filter of pre_tool_call and post_tool_call only`,
    );
  if (agents !== undefined && WITHOUT_AGENT.has(point))
    throw invalidDefinition(`hook ${point}: agents is no filter of it, as it belongs to no agent`);
  return {
    point,
    run,
    ...(agents === undefined ? undefined : { agents }),
    ...(tools === undefined ? undefined : { tools }),
  };
}

/** `on("pre_model_call", …)`: receives the messages for a model; `false` stops the call. */
export function beforeLlmCall(
  run: (context: HookContexts["pre_model_call"]) => boolean | void | Promise<boolean | void>,
  filters?: Pick<HookFilters, "agents">,
): Hook {
  return on("pre_model_call", run, filters);
}

/** `on("post_model_call", …)`: receives a model's answer; a returned text replaces it. */
export function afterLlmCall(
  run: (
    context: HookContexts["post_model_call"],
  ) => string | null | void | Promise<string | null | void>,
  filters?: Pick<HookFilters, "agents">,
): Hook {
  return on("post_model_call", run, filters);
}

/** `on("pre_tool_call", …)`: receives the input of a tool; `false` prevents the call. */
export function beforeToolCall(
  run: (context: HookContexts["pre_tool_call"]) => boolean | void | Promise<boolean | void>,
  filters?: HookFilters,
): Hook {
  return on("pre_tool_call", run, filters);
}

/** `on("post_tool_call", …)`: receives the result text of a call; a returned text replaces it. */
export function afterToolCall(
  run: (
    context: HookContexts["post_tool_call"],
  ) => string | null | void | Promise<string | null | void>,
  filters?: HookFilters,
): Hook {
  return on("post_tool_call", run, filters);
}

/** Throws if a value is not a hook. */
export function checkHooks(hooks: readonly Hook[] | undefined, owner: string): readonly Hook[] {
  for (const [index, hook] of (hooks ?? []).entries()) {
    const candidate: Partial<Hook> | null | undefined = hook;
    if (typeof candidate?.run !== "function" || !POINTS.has(candidate.point ?? ""))
      throw invalidDefinition(
        `${owner}: hooks[${index}] must be made with on(), got ${preview(hook)}`,
      );
  }
  return hooks ?? [];
}

/** Returns the reason of a hook's abort; undefined for any other error. */
export function abortOf(error: unknown): { reason: string; source?: string } | undefined {
  if (!EngineError.is(error) || error.code !== "hook_aborted") return undefined;
  const { reason = errorMessage(error), source } = error as Partial<HookAborted>;
  return source === undefined ? { reason } : { reason, source };
}
