// Remote agents of the same protocol: selection for a task, and transport.
//
//   RG1. A target is named or chosen by a skill, never both. By skill, the highest score wins: a remote agent before a
//        local one, one with "always on" in its name before others, one seen within a minute before others.
//   RG2. If a remote agent fails, refuses or times out, the result is a failed task, never an exception.
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { cut } from "../../base/cut.ts";
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import { outboundFetch, type OutboundPolicy } from "../../security/outbound.ts";
import { boundedBody, utf8Text } from "../../security/bounded-body.ts";
import { readArtifacts } from "./messages.ts";
import type { AgentCard, Artifact } from "./task.ts";

/** A remote agent of the protocol. */
export type RemoteAgent = {
  /** Base URL of its routes: tasks go to `<url>/api/a2a/tasks/send`. */
  readonly url: string;
  readonly card: AgentCard;
  /** Time of its last heartbeat, milliseconds since the epoch. */
  readonly lastHeartbeat: number;
};

/** Transport of tasks to remote agents. */
export type RemoteTransport = OutboundPolicy & {
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
  readonly clock: Clock;
  /** @default 120_000 */
  readonly timeoutMs?: number;
};

/** Requested agent of a task. */
export type TargetRequest = {
  readonly agent?: string | undefined;
  readonly skill?: string | undefined;
};

/** Outcome of a remote task. */
export type RemoteOutcome =
  | { readonly artifacts: readonly Artifact[]; readonly text: string }
  | { readonly error: string };

/** Time limit of a remote agent for a task, in milliseconds. */
export const REMOTE_TIMEOUT_MS = 120_000;
const SEEN_WITHIN_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const ALWAYS_ON = /(^|[^a-z])always[-_ ]?on([^a-z]|$)/i;

/** Returns RG1's score of an agent; a local one has no heartbeat. */
export function scoreOf(
  name: string,
  { lastHeartbeat, nowMs }: { readonly lastHeartbeat: number | undefined; readonly nowMs: number },
): number {
  if (lastHeartbeat === undefined) return 0;
  return 10 + (ALWAYS_ON.test(name) ? 5 : 0) + (nowMs - lastHeartbeat < SEEN_WITHIN_MS ? 3 : 0);
}

/**
 * Selects the agent by RG1. `lastHeartbeat` is undefined for local agents. Fails with `invalid_input`, or with
 * `not_found` if no agent has the skill.
 */
export function chooseTarget(
  { agent, skill }: TargetRequest,
  candidates: ReadonlyArray<{ readonly name: string; readonly lastHeartbeat?: number | undefined }>,
  nowMs: number,
): string {
  if (agent !== undefined && skill !== undefined)
    throw new EngineError("invalid_input", "name an agent or a skill, got both");
  if (agent !== undefined) return agent;
  if (skill === undefined)
    throw new EngineError("invalid_input", "name an agent or a skill, got neither");
  const [best] = candidates
    .map(({ name, lastHeartbeat }) => ({ name, score: scoreOf(name, { lastHeartbeat, nowMs }) }))
    .toSorted((one, other) => other.score - one.score);
  if (best !== undefined) return best.name;
  throw new EngineError("not_found", `no agent has the skill ${preview(skill)}`);
}

/** Sends a task and resolves to its outcome (RG2). */
export async function submitRemotely(
  {
    url,
    agent,
    message,
  }: { readonly url: string; readonly agent: string; readonly message: string },
  {
    clock,
    timeoutMs = REMOTE_TIMEOUT_MS,
    signal,
    headers = {},
    ...outbound
  }: RemoteTransport & {
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<RemoteOutcome> {
  const late = new AbortController();
  const seconds = timeoutMs / 1000;
  const error = new EngineError("timeout", `the remote agent did not answer within ${seconds} s`);
  const stop = clock.after(timeoutMs, () => late.abort(error));
  try {
    const response = await outboundFetch(`${url.replace(/\/+$/, "")}/api/a2a/tasks/send`, {
      ...outbound,
      field: "the remote agent's url",
      init: {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ agent, message }),
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      },
    });
    return outcomeOf(response.status, await answerOf(response));
  } catch (thrown) {
    return { error: late.signal.aborted ? error.message : errorMessage(thrown) };
  } finally {
    stop();
  }
}

async function answerOf(response: Response): Promise<JsonValue> {
  const bytes = await boundedBody(response, MAX_ANSWER_BYTES).catch((error: unknown) => {
    if (!EngineError.is(error)) throw error;
    throw new EngineError(error.code, `the answer may have at most ${MAX_ANSWER_BYTES} bytes`);
  });
  const text = bytes === undefined ? "" : utf8Text(bytes);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function outcomeOf(status: number, answer: JsonValue): RemoteOutcome {
  const { error, message, status: state, result, artifacts } = isJsonObject(answer) ? answer : {};
  if (status < 200 || status > 299) {
    const why =
      [error, message, answer].find((text): text is string => typeof text === "string") ?? "";
    return {
      error: `the remote agent answered ${status}${why === "" ? "" : `: ${cut(why, 500)}`}`,
    };
  }
  if (!isJsonObject(answer))
    return {
      error: `the remote agent answered ${status} with ${preview(answer)}, which is no task`,
    };
  const text = typeof result === "string" ? result : "";
  const { status: ended } = isJsonObject(state) ? state : { status: state };
  // A task with a failed status counts as a failure.
  if (ended === "failed" || ended === "canceled")
    return { error: text === "" ? `the remote task is ${ended}` : text };
  return { artifacts: readArtifacts(artifacts), text };
}
