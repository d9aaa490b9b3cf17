// Ids for front ends. Each is derived from our run and a place in it, so every stream of a run uses the same ids.
import { sha256Hex } from "../../base/sha256.ts";

/** Returns the id of the message from a model call. */
export function messageIdOf(runId: string, callId: string): string {
  return `msg_${hash(runId, callId)}`;
}

/** Returns the id of the message with a run's result, if no model has sent it. */
export function resultIdOf(runId: string): string {
  return `msg_${hash(runId, "result")}`;
}

/** Returns the id of a model's thoughts; `span` counts them within one call. */
export function reasoningIdOf(runId: string, callId: string, span: number): string {
  const id = `rsn_${hash(runId, callId)}`;
  return span === 0 ? id : `${id}_${span}`;
}

/** Returns the id of the tool call at this place. */
export function toolCallIdOf(runId: string, path: string): string {
  return `call_${hash(runId, path)}`;
}

/** Returns the id of the message with a tool call's result. */
export function toolResultIdOf(runId: string, path: string): string {
  return `res_${hash(runId, path)}`;
}

/** Returns the id of a wait's interrupt. */
export function interruptIdOf(runId: string, key: string): string {
  return `int_${hash(runId, key)}`;
}

/** Returns the id of a subagent. */
export function subagentIdOf(runId: string, path: string): string {
  return `sub_${hash(runId, path)}`;
}

/** Returns the path of the tool call of a wait: of an approval, or of a call waiting for its answer. */
export function callPathOf(key: string): string | undefined {
  const approval = /^(.*\/)?approval:([^/]+)$/.exec(key);
  if (approval !== null) return `${approval[1] ?? ""}tool:${approval[2]}`;
  const answer = /^((?:.*\/)?tool:[^/]+)\/answer$/.exec(key);
  return answer?.[1];
}

function hash(runId: string, place: string): string {
  return sha256Hex(`${runId}:${place}`).slice(0, 24);
}
