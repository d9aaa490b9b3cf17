// What a turn came to: the run as it stands then, in the words of both APIs.
import type { ErrorRecord } from "../../base/error.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { Usage } from "../../base/usage.ts";
import type { Run } from "../../runtime/run.ts";
import { questionsOf, questionText, resultOf, toolCallsOf } from "../run-state.ts";

/** A call of one of the caller's tools. */
export type TurnCall = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly arguments: string;
};

/** What a turn came to. */
export type Outcome = {
  readonly status: "completed" | "failed" | "cancelled" | "waiting";
  /** All that was said. */
  readonly said: string;
  /** The result, or the question, alone. */
  readonly text: string;
  readonly calls: readonly TurnCall[];
  /** What a person is asked. */
  readonly question?: string;
  readonly finish: "stop" | "length" | "content_filter" | "tool_calls";
  readonly usage: Usage;
  readonly error?: ErrorRecord;
};

/** How a run shall answer, as the record of its thread has it. */
export type TurnForm = {
  /** One call of the caller's tools at a time. */
  readonly isSerial: boolean;
  /** The answer is JSON of a form, and nothing else. */
  readonly isShaped: boolean;
};

/** The outcome of a run that has ended or waits for its caller. */
export function outcomeOf(
  run: Run,
  about: TurnForm & { usage: Usage; finish: Outcome["finish"] | undefined },
): Omit<Outcome, "said"> {
  const { isSerial, isShaped, usage, finish = "stop" } = about;
  const base = { usage, calls: [], finish } as const;
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
    arguments: JSON.stringify(args),
  }));
  const calls = isSerial ? all.slice(0, 1) : all;
  const [wait] = questionsOf(run);
  const question = wait === undefined ? "" : questionText(wait);
  return {
    ...base,
    status: "waiting",
    text: question,
    calls,
    finish: calls.length > 0 ? "tool_calls" : "stop",
    ...(question === "" ? undefined : { question }),
  };
}

/** Why a model stopped before its answer was whole. */
export function cutFinish(reason: string): Outcome["finish"] | undefined {
  return reason === "length" || reason === "content_filter" ? reason : undefined;
}

/** The id of the call that a wait stands for. */
export function callIdOfWait(runId: string, key: string): string {
  return `call_${runId}_${short(key)}`;
}

/** The run that the id of a call names; undefined for a text that is no such id. */
export function runIdIn(callId: string): string | undefined {
  return /^call_([A-Za-z0-9_-]{1,64})_[0-9a-f]{12}$/.exec(callId)?.[1];
}

/** Names something within a run. */
export function short(text: string): string {
  return sha256Hex(text).slice(0, 12);
}
