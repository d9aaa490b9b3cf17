import type { ErrorRecord } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type { ToolCallWords } from "../../events/call-words.ts";
import type { LiveEvent, RunEvent } from "../../feature-events.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { Run, RunStatus, TaskState, Wait } from "../../runtime/run.ts";

/** An answer to a wait without the wait's key: what a person wrote, chose or decided. */
export type Reply = Omit<ResumeRequest, "key">;

/** How far an answer is that was given here. */
export type AnswerState = {
  readonly state: "sending" | "sent" | "refused";
  /** What was answered: of a refused answer, the draft that a form shows again. */
  readonly reply: Reply;
  /** Why it was refused. */
  readonly error?: ErrorRecord;
};

/** A wait of a run, with the answer that was given here and has not taken effect yet. */
export type OpenWait = Wait & { readonly answer?: AnswerState };

/** What one model call has said. While it is under way the text grows. */
export type CallText = {
  readonly text: string;
  /** What the model thought before it answered, where the provider shows it. */
  readonly thinking?: string;
  /** The role of the agent that speaks. */
  readonly agent?: string;
  /** The name of the task that it speaks for. */
  readonly task?: string;
  /** Calls of tools, as far as the model has written them. */
  readonly toolCalls?: readonly ToolCallWords[];
  /** True when nothing more comes. */
  readonly done: boolean;
  /** Of a call under way: the attempt that says it, from 1. */
  readonly attempt?: number;
};

/** `working`: it thinks. `tool`: it uses a tool. `idle`: it has nothing to do. */
export type AgentState = {
  readonly status: "working" | "tool" | "idle" | "failed";
  /** The name of its task. */
  readonly task?: string;
  /** The tool that it uses. */
  readonly tool?: string;
};

/** Something said in a conversation, or the final answer of a run. */
export type Message = {
  readonly role: string;
  readonly content: string;
  /** Who said it, where that has a name. */
  readonly name?: string;
  /** ISO 8601, UTC. */
  readonly at?: string;
  /** Its place in its session, from 0. */
  readonly index?: number;
};

/**
 * How the store hears of its run. `idle`: nobody subscribes. `polling`: no stream can be read here, so it asks again and again.
 * `ended`: nothing more follows. `failed`: see `connectionError`.
 */
export type StoreConnection =
  | "idle"
  | "connecting"
  | "live"
  | "retrying"
  | "polling"
  | "ended"
  | "failed";

/** A run as a page shows it: everything that its events say, folded into one value. Never changed in place. */
export type RunState = {
  readonly id: string;
  /** Empty until it is known. */
  readonly kind: string;
  /** Empty until it is known. */
  readonly name: string;
  readonly status: RunStatus;
  readonly paused: boolean;
  /** Why the run does not fit the deployed code. */
  readonly held?: Pick<NonNullable<Run["held"]>, "code" | "message"> & { readonly key?: string };
  readonly connection: StoreConnection;
  /** While it is retrying: how soon it connects again, in milliseconds. */
  readonly retryInMs?: number;
  /** Why the connection failed for good. */
  readonly connectionError?: ErrorRecord;
  readonly tasks: readonly TaskState[];
  /** By role. */
  readonly agents: Readonly<Record<string, AgentState>>;
  /** By the key of the model call, in the order in which they began to speak. */
  readonly text: Readonly<Record<string, CallText>>;
  /** Turns of a conversation, and the final answer. */
  readonly messages: readonly Message[];
  readonly waits: readonly OpenWait[];
  readonly output?: JsonValue;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  /** `seq` of the last event that is in here. */
  readonly lastSeq: number;
  /** The newest events, with `keep`. */
  readonly events?: readonly (RunEvent | LiveEvent)[];
};

/** A run of which nothing is known yet. */
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
