// Ids that front ends see. Each is made of our run and of a place in it, so that every stream of a run names a thing alike.
import { sha256Hex } from "../../base/sha256.ts";

/** The id of a message that a model call at this place says. */
export function messageIdOf(runId: string, callId: string): string {
  return `msg_${hash(runId, callId)}`;
}

/** The id of the message with a run's result, where no model said it. */
export function resultIdOf(runId: string): string {
  return `msg_${hash(runId, "result")}`;
}

/** The id of what a model thought, `span` counting its thoughts within one call. */
export function reasoningIdOf(runId: string, callId: string, span: number): string {
  const id = `rsn_${hash(runId, callId)}`;
  return span === 0 ? id : `${id}_${span}`;
}

/** The id of the tool call at this place. */
export function toolCallIdOf(runId: string, path: string): string {
  return `call_${hash(runId, path)}`;
}

/** The id of the message with a tool call's result. */
export function toolResultIdOf(runId: string, path: string): string {
  return `res_${hash(runId, path)}`;
}

/** The id of the interrupt that a wait is. */
export function interruptIdOf(runId: string, key: string): string {
  return `int_${hash(runId, key)}`;
}

/** The id of an agent that works for another one. */
export function subagentIdOf(runId: string, path: string): string {
  return `sub_${hash(runId, path)}`;
}

/** The place of the tool call that a wait belongs to: of an approval, or of a call that waits for its answer. */
export function callPathOf(key: string): string | undefined {
  const approval = /^(.*\/)?approval:([^/]+)$/.exec(key);
  if (approval !== null) return `${approval[1] ?? ""}tool:${approval[2]}`;
  const answer = /^((?:.*\/)?tool:[^/]+)\/answer$/.exec(key);
  return answer?.[1];
}

function hash(runId: string, place: string): string {
  return sha256Hex(`${runId}:${place}`).slice(0, 24);
}
