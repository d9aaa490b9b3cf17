// A person's word before a tool is called.
//
//   AP1. While a person decides, the call has not begun: it holds no slot, and other calls of the turn continue.
//   AP2. Only `approve: true` (or the value "approve") approves. An object as value then takes the arguments' place.
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { sanitizeToolName } from "../../tools/tool-name.ts";
import type { Tool, ToolCaller } from "../../tools/tool.ts";
import type { Agent } from "../description/agent.ts";

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
  readonly agent: Pick<Agent, "approveTools">;
  readonly caller: ToolCaller;
  /** Distinguishes the calls of a turn. */
  readonly label: string;
};

/** How many characters of the arguments a person is shown. */
const MAX_SHOWN = 4000;

/** Asks a person, at `approval:<label>` below `turn`, where the tool or the agent wants it. */
export async function approve(turn: RunScope, asked: ApprovalRequest): Promise<Approval> {
  const { tool, input, caller, label } = asked;
  if (!(await isNeeded(turn, asked))) return { approved: true, input, edited: false };
  const answer = await turn.at(`approval:${label}`).wait<ApprovalReply>({
    kind: "human",
    prompt: `${caller.agentRole} wants to call ${tool.safeName} with ${preview(input, MAX_SHOWN)}. Approve it?`,
  });
  return read(answer, input);
}

async function isNeeded(turn: RunScope, asked: ApprovalRequest): Promise<boolean> {
  const { tool, input, agent, caller, label } = asked;
  const { approveTools } = agent;
  const isNamed =
    approveTools === true || approveTools.some((name) => sanitizeToolName(name) === tool.safeName);
  if (isNamed) return true;
  const { needsApproval } = tool;
  if (typeof needsApproval !== "function") return needsApproval === true;
  const context = { ...caller, runId: turn.runId };
  return turn.at(`approval-needed:${label}`).callOnce(async () => {
    try {
      return await needsApproval(input, context);
    } catch {
      return true; // what cannot be judged is not let through unseen
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
