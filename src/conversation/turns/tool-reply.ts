// Results of a message's calls.
//
//   TLR1. Each call has a result: of a tool that the agent executes, or a text with the reason for its absence.
//   TLR2. Calls run in sequence: each sees the variables after the calls before it.
//   TLR3. A call that answers in a form is not executed: its arguments are the reply.
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import { imageParts, type PicturedReply } from "../../agent/loop/tool-images.ts";
import { ToolRunner } from "../../agent/loop/tool-round.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import { applyChange, ContextVariables } from "../context-variables.ts";
import type { ConversationMessage, MessagePart } from "../messages.ts";
import type { RecordedTarget, RegisteredTargets } from "../targets/recorded-target.ts";
import { foldToolResults, structuredOutput, type ToolEffects } from "../tool-results.ts";
import { conversationTool } from "./conversation-tool.ts";
import type { ChatContext } from "./tool-injections.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { screenedResults } from "../safeguards/screens.ts";

/** True if a message has calls. */
export function hasCalls({
  toolCalls,
  functionCall,
}: Pick<ConversationMessage, "toolCalls" | "functionCall">): boolean {
  return toolCalls !== undefined || functionCall !== undefined;
}

/** Calls to execute, and data for their tools. */
export type ToolReplyRequest = {
  readonly message: ConversationMessage;
  /** The executing agent, and its tools. */
  readonly agent: TalkingMember;
  readonly tools: readonly Tool[];
  /** The agent whose model made the calls. */
  readonly caller: string;
  /** Variables before the calls. @default {} */
  readonly variables?: JsonObject;
  readonly chat: ChatContext;
  /** Separator of the results in the message's own text. @default an empty line */
  readonly separator?: string;
  /** Targets with agents or functions that tools may return. @default {} */
  readonly targets?: RegisteredTargets;
};

/** The results as one message, the calls' changes to the variables, and the target of the last hand-over. */
export type ToolReply = ToolEffects<RecordedTarget> & { readonly message: ConversationMessage };

/**
 * Executes the calls of a message. Their effects are in their recorded results: the caller applies `changes` to the
 * variables, and looks `target` up with `recalledTarget`.
 */
export async function toolReply(
  work: AgentWork,
  place: RunScope,
  {
    message,
    tools,
    agent,
    caller,
    variables = {},
    separator = "\n\n",
    ...offered
  }: ToolReplyRequest,
): Promise<ToolReply> {
  const { toolCalls = [], functionCall } = message;
  const name = work.identity.role;
  const form = structuredOutput(toolCalls);
  if (form !== undefined)
    return { message: { role: "assistant", content: form, name }, changes: [] };
  const calls =
    functionCall === undefined ? toolCalls : [...toolCalls, { id: "", ...functionCall }];
  const current = new ContextVariables(variables);
  const effects: Array<Partial<ToolEffects<RecordedTarget>>> = [];
  const bound = boundTools(tools, offered, {
    variables: () => current.toObject(),
    onEffects: (each) => {
      for (const change of each.changes ?? []) applyChange(current, change);
      effects.push(each);
    },
  });
  const pictured: PicturedReply[] = [];
  const texts = await screenedResults(
    place,
    { agent, work, tools, caller },
    {
      calls,
      carryOut: (passed) =>
        runCalls(work, bound, async (runner) => {
          const replies = await runner.runAll(place, passed, { inOrder: true });
          for (const [index, { images }] of replies.entries())
            pictured.push({ toolName: passed[index]?.name ?? "", images });
          return replies;
        }),
    },
  );
  const content = texts.join(separator);
  const folded = foldToolResults(effects);
  if (functionCall !== undefined && toolCalls.length === 0)
    return { message: { role: "function", content, name: functionCall.name }, ...folded };
  const toolResponses = toolCalls.map(({ id }, index) => ({
    toolCallId: id,
    content: texts[index] ?? "",
  }));
  const images = imageParts(pictured, work.prompts);
  const shown =
    images === undefined
      ? content
      : [{ type: "text", text: content }, ...(images as unknown as readonly MessagePart[])];
  return { message: { role: "tool", content: shown, name, toolResponses }, ...folded };
}

/** Returns the tools, each with its form in this conversation. */
function boundTools(
  tools: readonly Tool[],
  { chat, targets = {} }: Pick<ToolReplyRequest, "chat" | "targets">,
  seen: Pick<Parameters<typeof conversationTool>[1], "variables" | "onEffects">,
): ReadonlyMap<Tool, Tool> {
  return new Map(tools.map((tool) => [tool, conversationTool(tool, { chat, targets, ...seen })]));
}

/** Runs calls of tools in place of others, and counts them as uses of those. */
async function runCalls(
  work: AgentWork,
  bound: ReadonlyMap<Tool, Tool>,
  run: (runner: ToolRunner) => Promise<ReadonlyArray<{ readonly text: string }>>,
): Promise<readonly string[]> {
  const tools = [...bound.values()];
  const toolUses = new Map(
    Array.from(bound, ([tool, own]) => [own, work.toolUses?.get(tool) ?? 0] as const),
  );
  const runner = new ToolRunner(changedWork(work, { tools, toolUses }), toolBox(tools));
  const replies = await run(runner);
  for (const [tool, own] of bound) work.toolUses?.set(tool, toolUses.get(own) ?? 0);
  return replies.map(({ text }) => text);
}
