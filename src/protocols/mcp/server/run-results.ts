// Runs as the results of tool calls.
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { isJsonObject } from "../../../base/json.ts";
import { isTerminal, type Run } from "../../../runtime/run.ts";
import { resultOf, stateOf } from "../../run-state.ts";
import { mcpResultIn } from "./mcp-content.ts";
import { questionsIn, type Question } from "./questions.ts";

/** The result of a tool call. */
export type ToolResult = {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonValue;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
};

/** Run id in results about a run. */
export const RUN_META = "edgecrew/runId";

/** Returns the result of a run, or its present state. */
export function toolResult(run: Run, notes: readonly string[] = []): ToolResult {
  if (!isTerminal(run.status)) return stillRunning(run, notes);
  const meta = { _meta: { [RUN_META]: run.id } };
  if (run.status !== "completed")
    return {
      ...errorResult(run.error?.message ?? `The run ${run.id} was cancelled.`),
      ...meta,
    };
  const made = mcpResultIn(run.output);
  if (made !== undefined) return { ...(made as unknown as ToolResult), ...meta };
  const { text, data } = resultOf(run);
  return {
    content: [{ type: "text", text }],
    ...(data !== undefined && isJsonObject(data) ? { structuredContent: data } : undefined),
    ...meta,
  };
}

/** Returns a failure for the client's model. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** Returns the state of a run as data. */
export function runState(run: Run): JsonObject {
  const waits = questionsIn(run).map(({ wait: { key, prompt = "", choices, schema } }) => ({
    key,
    prompt,
    ...(choices === undefined ? undefined : { choices: [...choices] }),
    ...(schema === undefined ? undefined : { schema }),
  }));
  return {
    runId: run.id,
    status: stateOf(run),
    ...(waits.length === 0 ? undefined : { waits }),
  };
}

function stillRunning(run: Run, notes: readonly string[]): ToolResult {
  const questions = questionsIn(run);
  const lines =
    stateOf(run) === "input-required"
      ? [
          `The run ${run.id} waits for an answer.`,
          ...questions.map(askedFor),
          `Answer with the tool answer_run: { "runId": "${run.id}", "key": ${keyOf(questions)}, "answer": … }. Ask the user where only they can know.`,
        ]
      : [
          `run_started: the run ${run.id} goes on.`,
          `Ask for its result with the tool get_run: { "runId": "${run.id}" }.`,
        ];
  return {
    content: [{ type: "text", text: [...notes, ...lines].join("\n\n") }],
    structuredContent: runState(run),
    _meta: { [RUN_META]: run.id },
  };
}

/** Returns the key of the only question as JSON; otherwise the field's meaning. */
function keyOf([only, another]: readonly Question[]): string {
  return only === undefined || another !== undefined
    ? "the key of the question"
    : JSON.stringify(only.wait.key);
}

function askedFor({ wait, request }: Question): string {
  const { choices, schema, subject, prompt = textIn(request) } = wait;
  return [
    subject,
    `${wait.key}: ${prompt}`,
    choices && `Choices: ${choices.join(", ")}`,
    schema && `An answer fits this schema: ${JSON.stringify(schema)}`,
  ]
    .filter((line) => line !== undefined && line !== "")
    .join("\n");
}

function textIn({ params: { message } }: Question["request"]): string {
  return typeof message === "string" ? message : "";
}
