// A tool as an agent of a conversation executes it.
//
//   CTL1. Effects of a call beside its text (changes of variables, a target) are in its recorded result, so a replay
//         has them without the call.
//   CTL2. A tool without such effects is recorded as anywhere else. Its result is never read as an effect.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { viewOf } from "../../base/recorded.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { ToolContext } from "../../tools/tool-context.ts";
import { isToolFailure } from "../../tools/tool-failure.ts";
import { ToolResult, toolResult } from "../../tools/tool-result.ts";
import { ToolReport } from "../../tools/tool-report.ts";
import type { Tool } from "../../tools/tool.ts";
import { ContextVariables, type ContextChange } from "../context-variables.ts";
import {
  recordedTarget,
  type RecordedTarget,
  type RegisteredTargets,
} from "../targets/recorded-target.ts";
import { isTarget } from "../targets/targets.ts";
import { callOutcome, contentOf, ReplyResult, type ToolEffects } from "../tool-results.ts";
import { contextWithin, type ChatContext } from "./tool-injections.ts";

/** Data shared by the calls of one message. */
export type MessageCalls = {
  readonly chat: ChatContext;
  /** Returns the variables after the earlier calls. */
  readonly variables: () => JsonObject;
  readonly targets: RegisteredTargets;
  /** Receives the effects of each call, in order, also in a replay. */
  readonly onEffects: (effects: Partial<ToolEffects<RecordedTarget>>) => void;
};

/** The only field of a result with effects. */
const OUTCOME = "edgecrew:callOutcome";

type RecordedOutcome = Partial<ToolEffects<RecordedTarget>> & { readonly content: string };

/** Returns the same tool, within a conversation. */
export function conversationTool(tool: Tool, calls: MessageCalls): Tool {
  const { resultSchema: _, ...rest } = tool;
  return {
    ...rest,
    call: (input, context) => callWithin(tool, calls, { input, context }),
    format: (result) => recordedOutcome(result)?.content ?? textOf(tool, result),
    recorded: (result) => {
      const outcome = recordedOutcome(result);
      if (outcome !== undefined) calls.onEffects(outcome);
      tool.recorded?.(outcome?.content ?? result);
    },
  };
}

async function callWithin(
  tool: Tool,
  { chat, variables: before, targets }: MessageCalls,
  { input, context }: { readonly input: JsonObject; readonly context: ToolContext },
): Promise<unknown> {
  const made: ContextChange[] = [];
  const variables = new ContextVariables(before(), {
    onChange: (change) => void made.push(change),
  });
  const result = await tool.call(input, contextWithin(context, { chat, variables }));
  if (isToolFailure(result) || result instanceof ToolReport) return result;
  if (result instanceof ToolResult) return withOutcome(tool, result, made);
  const isPlain =
    made.length === 0 && !isTarget(result) && !(result instanceof ReplyResult) && !isRecord(result);
  if (isPlain) return result;
  const { target, changes } = callOutcome(result, made);
  const content = textOf(tool, result);
  try {
    const outcome: RecordedOutcome = {
      content,
      ...(changes === undefined ? {} : { changes }),
      ...(target === undefined ? {} : { target: recordedTarget(target, targets) }),
    };
    return { [OUTCOME]: outcome };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    // The model cannot correct it.
    const { code, message } = error;
    const raised = { code, message: `tool ${tool.safeName}: ${message}` };
    return new ToolReport("", { usage: NO_USAGE, delegatedTo: [], raised });
  }
}

/** A result with files, sources and similar fields keeps them; its data becomes the record of the call's effects. */
function withOutcome(
  { format, resultSchema }: Tool,
  result: ToolResult,
  made: readonly ContextChange[],
): ToolResult {
  const { text, data, ...fields } = result.fields;
  if (data === undefined && made.length === 0) return result;
  const parsed = data === undefined ? undefined : resultSchema?.safeParse(data);
  const value = parsed?.success === true ? parsed.data : data;
  const isShaped = data !== undefined && (format !== undefined || parsed?.success === true);
  const content = isShaped ? (format?.(value) ?? JSON.stringify(viewOf(value))) : text;
  const outcome = { content, ...(made.length === 0 ? {} : { changes: [...made] }) };
  return toolResult({ ...fields, text: content, data: { [OUTCOME]: outcome as JsonValue } });
}

/** Returns the text for the model. */
function textOf({ format, resultSchema }: Tool, result: unknown): string {
  if (isTarget(result)) return callOutcome(result).content;
  const value = result instanceof ReplyResult ? result.message : result;
  const parsed = resultSchema?.safeParse(value);
  if (format !== undefined) return format(parsed?.success === true ? parsed.data : result);
  const isShaped = parsed?.success === true && parsed.data !== undefined;
  return isShaped ? JSON.stringify(viewOf(parsed.data)) : contentOf(value);
}

function isRecord(result: unknown): boolean {
  return recordedOutcome(result) !== undefined;
}

function recordedOutcome(result: unknown): RecordedOutcome | undefined {
  if (!isJsonObject(result)) return undefined;
  const outcome: JsonValue | undefined = result[OUTCOME];
  return isJsonObject(outcome) && Object.keys(result).length === 1
    ? (outcome as unknown as RecordedOutcome)
    : undefined;
}
