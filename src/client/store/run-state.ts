import type { ErrorRecord } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type { ToolCallWords } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../feature-events.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { Run, RunStatus, TaskState, Wait } from "../../runtime/run.ts";

/** Answer to a wait, without the wait's key: a person's text, choice or decision. */
export type Reply = Omit<ResumeRequest, "key">;

/** Progress of an answer from this page. */
export type AnswerState = {
  readonly state: "sending" | "sent" | "refused";
  /** The answer. For a refused one, the draft that a form shows again. */
  readonly reply: Reply;
  /** Reason of the refusal. */
  readonly error?: ErrorRecord;
};

/** A wait of a run, with this page's answer until it takes effect. */
export type OpenWait = Wait & { readonly answer?: AnswerState };

/** Text of one model call. It grows during the call. */
export type CallText = {
  readonly text: string;
  /** Thoughts of the model before its answer, if the provider shows them. */
  readonly thinking?: string;
  /** Role of the speaking agent. */
  readonly agent?: string;
  /** Name of the agent's task. */
  readonly task?: string;
  /** Tool calls, as written by the model so far. */
  readonly toolCalls?: readonly ToolCallWords[];
  /** True once the call is complete. */
  readonly done: boolean;
  /** Present attempt of an open call, from 1. */
  readonly attempt?: number;
};

/** `working`: the agent thinks. `tool`: it uses a tool. `idle`: it has no work. */
export type AgentState = {
  readonly status: "working" | "tool" | "idle" | "failed";
  /** The name of its task. */
  readonly task?: string;
  /** Name of the tool in use. */
  readonly tool?: string;
};

/** Message of a conversation, or the final answer of a run. */
export type Message = {
  readonly role: string;
  readonly content: string;
  /** Name of the sender, if it has one. */
  readonly name?: string;
  /** ISO 8601, UTC. */
  readonly at?: string;
  /** Position in the session, from 0. */
  readonly index?: number;
};

/**
 * State of the store's connection. `idle`: no subscribers. `polling`: the platform cannot read streams. `ended`: no
 * further events. `failed`: the Worker refused, see `connectionError`; a lost network is `retrying`.
 */
export type StoreConnection =
  | "idle"
  | "connecting"
  | "live"
  | "retrying"
  | "polling"
  | "ended"
  | "failed";

/** State of a run for pages: its events, folded into one value. Immutable. */
export type RunState = {
  readonly id: string;
  /** Empty until it is known. */
  readonly kind: string;
  /** Empty until it is known. */
  readonly name: string;
  readonly status: RunStatus;
  readonly paused: boolean;
  /** Mismatch between the run and the deployed code. */
  readonly held?: Pick<NonNullable<Run["held"]>, "code" | "message"> & { readonly key?: string };
  readonly connection: StoreConnection;
  /** Milliseconds until the next attempt, while it is retrying. */
  readonly retryInMs?: number;
  /** Final error of the connection. */
  readonly connectionError?: ErrorRecord;
  readonly tasks: readonly TaskState[];
  /** By role. */
  readonly agents: Readonly<Record<string, AgentState>>;
  /** By the key of the model call, in the order of their first text. */
  readonly text: Readonly<Record<string, CallText>>;
  /** Turns of a conversation, and the final answer. */
  readonly messages: readonly Message[];
  readonly waits: readonly OpenWait[];
  readonly output?: JsonValue;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  /** `seq` of the last folded event. */
  readonly lastSeq: number;
  /** The newest events, with `keep`. */
  readonly events?: readonly (RunEvent | LiveEvent)[];
};

/** Returns the state of an unknown run. */
export function emptyRunState(id: string): RunState {
  return {
    id,
    kind: "",
    name: "",
    status: "queued",
    paused: false,
    connection: "idle",
    tasks: [],
    agents: {},
    text: {},
    messages: [],
    waits: [],
    usage: NO_USAGE,
    lastSeq: 0,
  };
}

/** True once the run has ended. */
export function hasEnded({ status }: Pick<RunState, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
