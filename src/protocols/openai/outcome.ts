// Outcome of a turn: the state of its run, in terms of both APIs.
import type { ErrorRecord } from "../../base/error.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { Run } from "../../runtime/run.ts";
import { questionsOf, questionText, resultOf, toolCallsOf } from "../run-state.ts";
import { callIdOfWait } from "./call-ids.ts";
import { CUSTOM_INPUT } from "./offered-tools.ts";
import { questionIdOf, withQuestionId } from "../question-id.ts";

/** A call of one of the caller's tools. */
export type TurnCall = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** JSON; the text itself of a custom tool. */
  readonly arguments: string;
  /** True for a custom tool (OC1). */
  readonly isCustom?: true;
};

/** Outcome of a turn. */
export type Outcome = {
  readonly status: "completed" | "failed" | "cancelled" | "waiting";
  /** All text sent. */
  readonly said: string;
  /** Thoughts of the model, if its provider shows them. */
  readonly thinking?: string;
  /** The result or the question alone. */
  readonly text: string;
  readonly calls: readonly TurnCall[];
  /** Question to a person, as the run asks it. */
  readonly question?: string;
  /** Key of the question's wait. Absent in outcomes stored by earlier versions. */
  readonly asks?: string;
  readonly finish: "stop" | "length" | "content_filter" | "tool_calls";
  readonly usage: Usage;
  readonly error?: ErrorRecord;
  /** Settings of the request refused by the model, which answered without them. */
  readonly ignored?: readonly string[];
};

/**
 * True for an answer withheld by the model's provider, or refused by the model: OpenAI's APIs report it as the end of
 * the answer. A filtered request is an error.
 */
export function isFiltered({ status, error }: Pick<Outcome, "status" | "error">): boolean {
  return (
    status === "failed" && error?.code === "content_filtered" && error.failureCode !== undefined
  );
}

/** Returns the reason for the end of the answer, in terms of chat completions. */
export function finishOf(outcome: Pick<Outcome, "finish" | "status" | "error">): Outcome["finish"] {
  return isFiltered(outcome) ? "content_filter" : outcome.finish;
}

/** Form of a run's answers, from the record of its thread. */
export type TurnForm = {
  /** True to return one call of the caller's tools at a time. */
  readonly isSerial: boolean;
  /** True if the answer must be JSON of a schema, without other text. */
  readonly isShaped: boolean;
  /** Names of the caller's custom tools. */
  readonly custom: readonly string[];
};

/** Returns the text for a custom tool. */
function inputIn({ [CUSTOM_INPUT]: input }: JsonObject): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? "");
}

/** Returns the outcome of a run that has ended or waits for its caller. */
export function outcomeOf(
  run: Run,
  about: TurnForm & {
    readonly usage: Usage;
    readonly finish: Outcome["finish"] | undefined;
    readonly ignored: readonly string[];
  },
): Omit<Outcome, "said" | "thinking"> {
  const { isSerial, isShaped, custom, usage, finish = "stop", ignored } = about;
  const base = {
    usage,
    calls: [],
    finish,
    ...(ignored.length === 0 ? undefined : { ignored }),
  } as const;
  if (run.status === "completed") {
    const { text, data } = resultOf(run);
    const isData = isShaped && data !== undefined;
    return { ...base, status: "completed", text: isData ? JSON.stringify(data) : text };
  }
  if (run.status === "failed" || run.status === "cancelled")
    return {
      ...base,
      status: run.status,
      text: "",
      ...(run.error === undefined ? undefined : { error: run.error }),
    };
  const all = toolCallsOf(run).map(({ key, tool, arguments: args }): TurnCall => ({
    id: callIdOfWait(run.id, key),
    key,
    name: tool,
    ...(custom.includes(tool)
      ? { arguments: inputIn(args), isCustom: true }
      : { arguments: JSON.stringify(args) }),
  }));
  const calls = isSerial ? all.slice(0, 1) : all;
  const [wait] = questionsOf(run);
  const asked = {
    ...base,
    status: "waiting",
    calls,
    finish: calls.length > 0 ? "tool_calls" : "stop",
  } as const;
  if (wait === undefined) return { ...asked, text: "" };
  const question = questionText(wait);
  const text = withQuestionId(question, questionIdOf(run.id, wait.key));
  return { ...asked, text, question, asks: wait.key };
}

/** Returns the finish reason from the output of a run: of agents and crews, except those of earlier versions. */
export function finishIn({ output }: Pick<Run, "output">): Outcome["finish"] | undefined {
  const reason = isJsonObject(output ?? null) ? (output as JsonObject)["finishReason"] : undefined;
  return typeof reason === "string" ? (cutFinish(reason) ?? "stop") : undefined;
}

/** Returns the reason of a model for an incomplete answer. */
export function cutFinish(reason: string): Outcome["finish"] | undefined {
  return reason === "length" || reason === "content_filter" ? reason : undefined;
}
