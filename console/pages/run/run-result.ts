// Reads the question of a run and its result, from the inputs and the output of its kind.
import type { Json, RunView } from "../../api-types.ts";

type JsonFields = { readonly [key: string]: Json };

/** The result of a run, or of one of its tasks. */
export type Result = {
  /** The text, unless `object` replaces it. */
  readonly text?: string;
  /** Another value than a text. */
  readonly value?: Json;
};

export type TaskResult = Result & { readonly name: string; readonly agent?: string };

export type RunResult = Result & {
  /** Tasks of a crew, in their order. Empty for other kinds. */
  readonly tasks: readonly TaskResult[];
  /** Reason for the end of a conversation. */
  readonly reason?: string;
  /** Final state of a flow. */
  readonly state?: Json;
};

const NOTHING: RunResult = { tasks: [] };

/** Returns the result in a run's output. Undefined without an output. */
export function resultOf({
  kind,
  output,
}: Pick<RunView, "kind" | "output">): RunResult | undefined {
  if (output === undefined) return undefined;
  const fields = fieldsOf(output);
  if (kind === "conversation" && fields !== undefined) {
    const { summary, reason } = fields;
    return { ...NOTHING, ...textAs("text", summary), ...textAs("reason", reason) };
  }
  if (kind === "flow" && fields !== undefined && "value" in fields) {
    const { value = null, state } = fields;
    const result = answerOf(value) ?? { value };
    return { ...NOTHING, ...result, ...(state === undefined ? undefined : { state }) };
  }
  const answer = answerOf(output);
  if (answer === undefined) return { ...NOTHING, value: output };
  const tasks = fields?.["tasks"];
  return { ...answer, tasks: Array.isArray(tasks) ? tasks.flatMap(taskResult) : [] };
}

/** Returns the answer in the output of a task, an agent or a crew. Undefined for other values. */
export function answerOf(output: Json): Result | undefined {
  if (typeof output === "string") return { text: output };
  const { raw, object } = fieldsOf(output) ?? {};
  if (object !== undefined && object !== null) return { value: object };
  return typeof raw === "string" ? { text: raw } : undefined;
}

function taskResult(task: Json, index: number): readonly TaskResult[] {
  const { name, agent } = fieldsOf(task) ?? {};
  const named = typeof name === "string" && name !== "" ? name : `Task ${index + 1}`;
  return [{ name: named, ...textAs("agent", agent), ...answerOf(task) }];
}

/** Question of a run: the one text of an agent's question, or fields. */
export type Asked = { readonly text: string } | { readonly fields: JsonFields };

export function askedOf({ kind, inputs }: Pick<RunView, "kind" | "inputs">): Asked {
  if (kind !== "agent") return { fields: inputs };
  const { messages, inputs: more = {}, ...others } = inputs;
  const isAlone = Object.keys({ ...fieldsOf(more), ...others }).length === 0;
  if (isAlone && typeof messages === "string") return { text: messages };
  return {
    fields: {
      ...(messages === undefined ? undefined : { messages }),
      ...fieldsOf(more),
      ...others,
    },
  };
}

function fieldsOf(value: Json): JsonFields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonFields)
    : undefined;
}

function textAs<Name extends string>(
  name: Name,
  value: Json | undefined,
): { readonly [Key in Name]?: string } {
  return (typeof value === "string" && value !== "" ? { [name]: value } : {}) as {
    readonly [Key in Name]?: string;
  };
}
