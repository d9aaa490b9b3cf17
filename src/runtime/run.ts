import type { RunSums } from "./run-sums.ts";
import type { StepCause } from "./step-cause.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { StepKind, StepState } from "../journal/journal-store.ts";
import type { RunParent } from "./children/child-run.ts";
import type { CodeChange, Held, HeldRecord } from "./code-change.ts";
import type { RecordPlace } from "./fork.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { RunTrace } from "./run-trace.ts";
import type { WebhookTarget } from "./deliveries/webhooks.ts";

/** The kind of a run: `crew`, `agent`, `flow` or another that a part of the app brings. */
export type RunKind = string;

/** `queued → running ⇄ waiting → completed | failed | cancelled` */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_STATUSES = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
] as const;

export function isTerminal(status: RunStatus): status is "completed" | "failed" | "cancelled" {
  return status === "completed" || status === "failed" || status === "cancelled";
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** The tenant of the run. @default "default" */
    readonly tenant?: string;
    /** What the run may consume. */
    readonly budget?: RunBudget;
    /** What the caller of the run offers to it; see `RunStart`. */
    readonly context?: JsonObject;
    /** What the start of the run says in place of definitions. */
    readonly overrides?: RunOverrides;
    /** Whether another run of the tenant has ended; undefined for one that there is not. */
    readonly runEnded?: (runId: string) => Promise<boolean | undefined>;
  }
}

/** Ids that callers may give. */
export const RUN_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** What a run keeps of itself besides its journal and events: small, as it is read before everything else. */
export type RunRecord = {
  readonly id: string;
  readonly tenant: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly status: RunStatus;
  readonly paused: boolean;
  readonly error: ErrorRecord | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Drives in a row that were cut off before the steps under way were through, each with its weight (CB1). */
  readonly crashes: number;
  /** True from the start of a drive to its orderly end. */
  readonly driving: boolean;
  /** Grows with every change that others can see; orders what the index is told. */
  readonly version: number;
  readonly parent?: RunParent;
  /** An output that is longer as JSON text is not handed to the parent. */
  readonly maxOutputLength?: number;
  /** True once it has started child runs. */
  readonly hasChildren?: true;
  /** True once it has waited for an answer from outside. */
  readonly hasAsked?: true;
  /** The deployment that last drove it, where that is known. */
  readonly deployment?: string;
  /** After a crash: no drive begins before. */
  readonly restsUntilMs?: number;
  /** Of a fork: what is still to be taken over of the other run's record. No drive begins before. */
  readonly adopting?: RecordPlace;
  /** While it waits for code that fits, and while it is tried with other code. */
  readonly held?: HeldRecord;
  readonly trace?: RunTrace;
};

/** Whether a run has something to do by itself, now. */
export function isDrivable({ status, paused }: RunRecord): boolean {
  return (status === "queued" || status === "running") && !paused;
}

/** What a run is started with. */
export type RunStart = {
  readonly id: string;
  readonly tenant: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly inputs: JsonObject;
  /** When it was announced to the index, in milliseconds since the epoch: the run says the same of itself. @default now */
  readonly createdAtMs?: number;
  /** By what the run can be found; see `checkTags`. Forks have them too, children have none. */
  readonly tags?: readonly string[];
  /** What started it by itself: `schedule:<id>`, `hook:<name>` or `queue:<name>`. @default a caller */
  readonly startedBy?: string;
  /** The definition as it was at the start, where it is stored data and not code. */
  readonly definition?: JsonValue;
  /** The version of the definition, where the code has several; see `versions()`. @default the current one */
  readonly definitionVersion?: string;
  readonly meta?: JsonObject;
  /** Webhooks that receive its events. */
  readonly webhooks?: readonly WebhookTarget[];
  /** Of a replay or fork: the run it continues, and the record it takes over. */
  readonly origin?: RunOrigin;
  /** Of a fork: where the part of the other run's record begins that it fetches before its first drive. */
  readonly adopting?: RecordPlace;
  /** How the run enters its crew, where that is not a kickoff: to train or test it, or to talk with it. */
  readonly entry?: JsonObject;
  /** What the caller offers to the run and its children, such as tools of its own: `services.context` of the run. */
  readonly context?: JsonObject;
  /** What it and its children may consume at most, each. */
  readonly budget?: RunBudget;
  /** What holds for it and its children in place of what their definitions say. */
  readonly overrides?: RunOverrides;
  /** Of a child: the parent run that waits for it. */
  readonly parent?: RunParent;
  /** Of a child of kind `task`: what it does of its crew. */
  readonly part?: JsonValue;
  /** Of a child: see `RunRecord`. */
  readonly maxOutputLength?: number;
  readonly trace?: RunTrace;
};

/** What a run may consume, whatever its definition allows. */
export type RunBudget = { readonly maxCostUsd?: number; readonly maxTokens?: number };

/** What the start of a run says in place of its definition. */
export type RunOverrides = {
  /** The model of everybody who works in the run. */
  readonly llm?: string;
  /** What they were taught, as it was at the start. */
  readonly trained?: JsonObject;
};

/** The parts of a start that a run keeps as values of their own. */
export const START_VALUES = [
  "inputs",
  "definition",
  "definitionVersion",
  "tags",
  "startedBy",
  "meta",
  "origin",
  "part",
  "entry",
  "context",
  "webhooks",
  "budget",
  "overrides",
] as const satisfies readonly (keyof RunStart)[];

export type RunOrigin = {
  readonly runId: string;
  /** The step before which the other run's record ends. */
  readonly before?: string;
  /** Or the checkpoint up to which it goes. */
  readonly checkpoint?: string;
  /** Or the step that has another result than in the other run, up to whose end it goes. */
  readonly edited?: string;
  /** The stored definition that the fork runs, where it is not that of the other run. */
  readonly definition?: "present" | number;
  /** What the caller calls the fork. */
  readonly branch?: string;
};

/** What a run waits for. */
export type Wait = {
  readonly key: string;
  readonly kind: "human" | "input" | "child" | "timer" | "event";
  readonly prompt?: string;
  /** The answer of an agent that the prompt asks about. */
  readonly subject?: string;
  /** What the prompt asks about, as data: of a tool call `tool`, its whole `arguments`, and their `sha256`. */
  readonly data?: JsonObject;
  readonly schema?: JsonObject;
  /** With a schema: `approve: false` is an answer too. */
  readonly declinable?: boolean;
  readonly choices?: readonly string[];
  readonly expiresAt?: string;
  /** Of kind `event`: the name of the event that is waited for. */
  readonly event?: string;
  /** Of kind `child`: the run that is waited for. */
  readonly runId?: string;
};

/** How far a task of a run is. */
export type TaskState = {
  /** The task's step key. */
  readonly key: string;
  readonly name: string;
  readonly agent: string;
  /** `cancelled`: under way when the run ended. */
  readonly status: "pending" | "running" | "completed" | "failed" | "cancelled";
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

/** What one model consumed for one agent and task. */
export type UsageBy = Pick<Usage, "requests" | "promptTokens" | "completionTokens" | "costUsd"> & {
  /** Of steps that are no model calls, their kind; `child` for child runs. */
  readonly model: string;
  /** Role of the agent. */
  readonly agent?: string;
  readonly task?: string;
};

/** A run as the API shows it. Times are ISO 8601, UTC. */
export type Run = {
  readonly id: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly status: RunStatus;
  readonly paused?: true;
  readonly inputs: JsonObject;
  readonly output?: JsonValue;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
  /** The same by model, agent and task, in the order of their first calls. */
  readonly usageBy?: readonly UsageBy[];
  readonly waits: readonly Wait[];
  /** Of what it runs: the deployment that last drove it, and the definition, where there are several. */
  readonly version?: { readonly code?: string; readonly definition?: string };
  /** What it and its children may consume at most, each. */
  readonly budget?: RunBudget;
  /** The model of everybody who works in it, where its start named one. */
  readonly llm?: string;
  /** How many child runs it has started, and how many of them it waits for. */
  readonly children?: { readonly total: number; readonly open: number };
  /** The run does not fit the deployed code, and waits for code that it fits. */
  readonly held?: Held;
  /** Steps that the run finished with another input than the present code would ask for, such as another prompt. */
  readonly changes?: readonly CodeChange[];
  readonly tasks?: readonly TaskState[];
  /** The version of its definition, where the code has several. */
  readonly definitionVersion?: string;
  readonly tags?: readonly string[];
  /** What started it by itself: `schedule:<id>`, `hook:<name>` or `queue:<name>`. */
  readonly trigger?: string;
  readonly meta?: JsonObject;
  readonly origin?: RunOrigin;
  /** What is done with the crew, where that is not a kickoff. */
  readonly entry?: JsonObject;
  readonly parent?: RunParent;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

/** A run at one place of its event log: whoever goes on from there misses nothing, and gets nothing twice. */
export type RunSnapshot = {
  readonly run: Run;
  /** `seq` of the last event that the run as it is here has had. */
  readonly seq: number;
  /** When that was. ISO 8601, UTC. */
  readonly at: string;
  /** The kept events up to there of the types that were asked for. */
  readonly events: readonly RunEvent[];
};

/** A step as the API shows it. */
export type Step = {
  readonly key: string;
  readonly kind: StepKind;
  /** What people call the step; absent where its key says enough. */
  readonly label?: string;
  /** Key of the step that runs this one; absent for a step of the program itself. */
  readonly parent?: string;
  readonly state: StepState;
  readonly attempt: number;
  /** How many attempts a crash cut off. */
  readonly interrupted: number;
  /** Its places in the one order of all starts and ends of steps. */
  readonly seq: { readonly start: number; readonly end?: number };
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly bytes: number;
  /** Of a model call. */
  readonly model?: string;
  /** Role of the agent that a model call is made for. */
  readonly agent?: string;
  readonly usage?: Usage;
  /** Of a wait: what is waited for, or was. */
  readonly wait?: Wait;
  readonly cause?: StepCause;
  /** Its result was put in the place of another one when the run was forked. */
  readonly edited?: true;
  /** Fingerprint of the result: equal results have equal ones. */
  readonly hash?: string;
  readonly value?: JsonValue;
  /** The length of the result, where `value` is only the beginning of its JSON text. */
  readonly truncated?: number;
  /** Of a model call: what of its request is new; see `RecordedRequest`. */
  readonly request?: JsonValue;
  /** The length of its result and request in UTF-16 units, where they were asked for and are too long for an answer. */
  readonly omitted?: number;
  readonly error?: ErrorRecord;
};

/** A wait that somebody outside can end. */
export type OpenWait = { readonly wait: Wait; readonly openedAtMs: number };

/** What the index over all runs holds of one. */
export type RunIndexRow = {
  readonly id: string;
  readonly tenant: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly status: RunStatus;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
  readonly parent?: RunParent;
  /** When somebody shall look whether the run has lost its alarm; null when it needs none. */
  readonly leaseUntilMs: number | null;
  /** Absent for a run that has never asked for anything. */
  readonly waits?: readonly OpenWait[];
  readonly definitionVersion?: string;
  /** Of a held run: the last version of the code that it was tried with. */
  readonly heldVersion?: string;
  /** Where something is summed up over runs. */
  readonly sums?: RunSums;
  readonly listed?: ListedFacts;
};

/** What a listing shows of a run beside its name, status and times, and what runs are found by. */
export type ListedFacts = {
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  /** Absent while the run has more to say soon. */
  readonly usage?: SpentInAll;
  /** Open waits that somebody outside can end: with an answer, or with an event. */
  readonly waits?: number;
  /** The message is cut. */
  readonly error?: Pick<ErrorRecord, "code" | "message">;
  readonly tags?: readonly string[];
  readonly startedBy?: string;
  readonly originId?: string;
  /** The deployment that last drove it, where that is known. */
  readonly codeVersion?: string;
  /** Its words, where runs are searched. */
  readonly text?: string;
};

/** What a run has consumed, its children included. */
export type SpentInAll = {
  readonly tokens: number;
  readonly costUsd: number;
  readonly requests: number;
};
