// Approval of tool calls by a person.
//
//   AP1. While a person decides, the call has not begun: it holds no slot, and other calls of the turn continue.
//   AP3. The data of the wait has the tool, all of the arguments and their hash. Its text shows every field and marks
//        cut values and invisible characters.
//   AP2. Only `approve: true` (or the value "approve") approves. An object as value then replaces the arguments.
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ToolCaller } from "../../tools/tool-context.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentDescription } from "../description/agent-description.ts";
import { showArguments, visible } from "./shown-arguments.ts";

export type Approval =
  | { readonly approved: true; readonly input: JsonObject; readonly edited: boolean }
  | { readonly approved: false; readonly reason: string };

type ApprovalReply = {
  readonly approve?: boolean;
  readonly feedback?: string;
  readonly value?: JsonValue;
};

type ApprovalRequest = {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly agent: Pick<AgentDescription, "approveTools">;
  readonly caller: ToolCaller;
  /** Distinguishes the calls of a turn. */
  readonly label: string;
};

/** True if calls of the tool need or may need a person's approval. */
export function mayAskFirst(agent: Pick<AgentDescription, "approveTools">, tool: Tool): boolean {
  return (tool.needsApproval ?? false) !== false || isNamed(agent, tool);
}

/** Asks a person, at `approval:<label>` below `turn`, if the tool or the agent needs approval. */
export async function approve(turn: RunScope, asked: ApprovalRequest): Promise<Approval> {
  const { tool, input, caller, label } = asked;
  if (!(await isNeeded(turn, asked))) return { approved: true, input, edited: false };
  const answer = await turn.at(`approval:${label}`).wait<ApprovalReply>({
    kind: "human",
    prompt: question(visible(caller.agentRole), tool, input),
    data: { tool: tool.safeName, arguments: input, sha256: sha256Hex(canonicalJson(input)) },
  });
  return read(answer, input);
}

function question(role: string, tool: Tool, input: JsonObject): string {
  const { text, cut } = showArguments(input);
  const asked = `${role} wants to call ${tool.safeName} with ${text}. Approve it?`;
  if (cut.length === 0) return asked;
  return `${asked}\nCut in this text, and whole in the data of the wait: ${visible(cut.join(", "))}`;
}

/** True if the agent wants approval for each call of the tool. */
export function isNamed(
  { approveTools }: Pick<AgentDescription, "approveTools">,
  tool: Tool,
): boolean {
  return (
    approveTools === true || approveTools.some((name) => sanitizeToolName(name) === tool.safeName)
  );
}

async function isNeeded(turn: RunScope, asked: ApprovalRequest): Promise<boolean> {
  const { tool, input, agent, caller, label } = asked;
  if (isNamed(agent, tool)) return true;
  const { needsApproval } = tool;
  if (typeof needsApproval !== "function") return needsApproval === true;
  const context = { ...caller, runId: turn.runId };
  return turn.at(`approval-needed:${label}`).callOnce(async () => {
    try {
      return await needsApproval(input, context);
    } catch {
      return true; // an input no check can judge needs approval
    }
  });
}

function read({ approve: said, feedback, value }: ApprovalReply, input: JsonObject): Approval {
  const approved = said ?? value === "approve";
  if (!approved) return { approved: false, reason: feedback ?? "" };
  return isJsonObject(value)
    ? { approved: true, input: value, edited: true }
    : { approved: true, input, edited: false };
}
