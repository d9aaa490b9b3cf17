// Reply of an agent that runs code of received messages.
//
//   CRE1. Among the inspected messages, the newest with code is run, once. Without code the next link answers.
//   CRE2. The link stands after tools and before the model. The run of the code is recorded, so replays do not repeat
//         it.
import { codeBlocks, type CodeBlock } from "../../code/blocks/code-blocks.ts";
import { runBlocks } from "../../code/blocks/run-blocks.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { CodeExecution } from "../agents/code-execution.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import type { StepsReply, StepsRequest } from "./reply-function.ts";

/** Runs the code of the last messages; undefined without code. */
export async function codeReply(
  place: RunScope,
  { agent, messages }: Pick<StepsRequest, "agent" | "messages">,
  settings: CodeExecution,
): Promise<StepsReply | undefined> {
  const { lastNMessages, runner, timeoutMs, workDir, whereAvailable } = settings;
  if (whereAvailable && place.services.code === undefined) return undefined;
  const blocks = newestBlocks(messages, lastNMessages);
  if (blocks === undefined) return undefined;
  const { reply } = await runBlocks(place, blocks, {
    runner,
    timeoutMs,
    workDir,
    session: `agent ${agent.name}`,
    owner: `agent "${agent.name}"`,
  });
  return { reply: { role: "assistant", content: reply, name: agent.name } };
}

function newestBlocks(
  messages: readonly ConversationMessage[],
  count: CodeExecution["lastNMessages"],
): readonly CodeBlock[] | undefined {
  const others = messages.findLastIndex(({ role }) => role !== "user") + 1;
  const from = count === "auto" ? others : Math.max(0, messages.length - count);
  for (const { content } of messages.slice(from).toReversed()) {
    const blocks = content === null ? [] : codeBlocks(contentText(content));
    if (blocks.length > 0) return blocks;
  }
  return undefined;
}
