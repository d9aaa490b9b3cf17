// What a turn came to: the run as it stands then, in the words of both APIs.
import type { ErrorRecord } from "../../base/error.ts";
import type { Usage } from "../../base/usage.ts";
import type { Run } from "../../runtime/run.ts";
import { questionsOf, questionText, resultOf, toolCallsOf } from "../run-state.ts";
import { callIdOfWait } from "./call-ids.ts";

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
