import type { StepCause } from "./step-cause.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { StepKind, StepState, WaitRequest } from "../journal/journal-store.ts";
import type { RunParent } from "./children/child-run.ts";
import type { CodeChange, Held, HeldRecord } from "./code-change.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { WebhookTarget } from "./deliveries/webhook-target.ts";
import type { RecordPlace } from "./record-place.ts";
import type { RunTrace } from "./run-trace.ts";
import type { RunSums } from "./spent-on-model.ts";

/** Kind of a run: `crew`, `agent`, `flow` or another kind from a part of the app. */
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
    /** Budget of the run. */
    readonly budget?: RunBudget;
    /** Context from the caller of the run; see `RunStart`. */
    readonly context?: JsonObject;
    /** Id of the person for whom the run works. */
    readonly person?: string;
    /** Overrides of definitions from the start of the run. */
    readonly overrides?: RunOverrides;
    /** Resolves to true if another run of the tenant has ended; undefined for an unknown run. */
    readonly runEnded?: (runId: string) => Promise<boolean | undefined>;
  }
}

/** Pattern of run ids from callers. */
export const RUN_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** State of a run besides its journal and events: small, because it is read first. */
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
  /** Drives in a row cut off before their running steps had ended, each with its weight (CB1). */
  readonly crashes: number;
  /** True from the start of a drive to its orderly end. */
  readonly driving: boolean;
  /** Increases with every externally visible change; orders the updates of the index. */
  readonly version: number;
  readonly parent?: RunParent;
  /** Maximum length of its output as JSON text for its parent; a longer one is not passed on. */
  readonly maxOutputLength?: number;
  /** True once it has started child runs. */
  readonly hasChildren?: true;
  /** True once it has waited for an answer from outside. */
  readonly hasAsked?: true;
  /** Deployment of the last drive, if known. */
  readonly deployment?: string;
  /** Set after a crash: earliest time of the next drive. */
  readonly restsUntilMs?: number;
  /** Remaining record to copy from the other run, for a fork. No drive begins before it is copied. */
  readonly adopting?: RecordPlace;
  /** Set while it waits for matching code, and while it is tried with other code. */
  readonly held?: HeldRecord;
  readonly trace?: RunTrace;
};

/** True if a run can continue by itself now. */
export function isDrivable({ status, paused }: RunRecord): boolean {
  return (status === "queued" || status === "running") && !paused;
}

/** Start of a run. */
export type RunStart = {
  readonly id: string;
  readonly tenant: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly inputs: JsonObject;
  /** Time of its entry in the index, in milliseconds since the epoch, also shown by the run itself. @default now */
  readonly createdAtMs?: number;
  /** Search tags of the run; see `checkTags`. Forks inherit them, children do not. */
  readonly tags?: readonly string[];
  /** Trigger of the run: `schedule:<id>`, `hook:<name>` or `queue:<name>`. @default a caller */
  readonly startedBy?: string;
  /** Definition at the start of the run, if it is stored data and not code. */
  readonly definition?: JsonValue;
  /** Version of the definition, if the code has several; see `versions()`. @default the current one */
  readonly definitionVersion?: string;
  readonly meta?: JsonObject;
  /** Webhooks for its events. */
  readonly webhooks?: readonly WebhookTarget[];
  /** Origin of a replay or fork: the continued run, and the copied record. */
  readonly origin?: RunOrigin;
  /** Beginning of the other run's record that a fork must fetch before its first drive. */
  readonly adopting?: RecordPlace;
  /** Entry into the crew other than a kickoff: to train or test it, or to chat with it. */
  readonly entry?: JsonObject;
  /** Context from the caller for the run and its children, such as tools of its own: `services.context` of the run. */
  readonly context?: JsonObject;
  /** Budget of the run, and of each of its children. */
  readonly budget?: RunBudget;
  /** Overrides of definitions in the run and its children. */
  readonly overrides?: RunOverrides;
  /** Waiting parent of a child run. */
  readonly parent?: RunParent;
  /** Id of the person for whom the run and its children work: `services.person`. Forks keep it. */
  readonly person?: string;
  /** Assigned part of the crew, for a child of kind `task`. */
  readonly part?: JsonValue;
  /** Set for a child: see `RunRecord`. */
  readonly maxOutputLength?: number;
  readonly trace?: RunTrace;
};

/** Budget of a run, independent of its definition. */
export type RunBudget = { readonly maxCostUsd?: number; readonly maxTokens?: number };

/** Overrides of the definition in the start of a run. */
export type RunOverrides = {
  /** Overrides the model of every agent in the run. */
  readonly llm?: string;
  /** Training of the agents, as of the start. */
  readonly trained?: JsonObject;
};

/** Fields of a start stored as separate values. */
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
  "person",
] as const satisfies readonly (keyof RunStart)[];

export type RunOrigin = {
  readonly runId: string;
  /** The step before which the other run's record ends. */
  readonly before?: string;
  /** Checkpoint up to which the record goes. */
  readonly checkpoint?: string;
  /** Key of the step with an edited result, up to whose end the record goes. */
  readonly edited?: string;
  /** Stored definition of the fork, if it differs from the other run's. */
  readonly definition?: "present" | number;
  /** Name of the fork, from the caller. */
  readonly branch?: string;
};

/** An open question of a run. */
export type Wait = Pick<
  WaitRequest,
  | "kind"
  | "prompt"
  | "subject"
  | "data"
  | "schema"
  | "declinable"
  | "needsFeedback"
  | "choices"
  | "freeText"
> & {
  readonly key: string;
  readonly expiresAt?: string;
  /** Name of the expected event, for kind `event`. */
  readonly event?: string;
  /** Id of the child run, for kind `child`. */
  readonly runId?: string;
};

/** Progress of a task in a run. */
export type TaskState = {
  /** The task's step key. */
  readonly key: string;
  readonly name: string;
  readonly agent: string;
  /** `cancelled`: running when the run ended. */
  readonly status: "pending" | "running" | "completed" | "failed" | "cancelled";
  /** Set if a fork took over its result: it has no times in this run. */
  readonly copied?: true;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

/** Usage of one model for one agent and task. */
export type UsageBy = Pick<Usage, "requests" | "promptTokens" | "completionTokens" | "costUsd"> & {
  /** Name of the model; for other steps their kind, and `child` for child runs. */
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
  /**
   * Versions of its code and definition: the deployment of the last drive, and the definition's version, if there are
   * several.
   */
  readonly version?: { readonly code?: string; readonly definition?: string };
  /** Budget of the run, and of each of its children. */
  readonly budget?: RunBudget;
  /** Model of every agent in the run, if its start overrides it. */
  readonly llm?: string;
  /** Id of the person for whom the run works. */
  readonly person?: string;
  /** Number of child runs: started, and still awaited. */
  readonly children?: { readonly total: number; readonly open: number };
  /** Set while the run does not fit the deployed code, and waits for matching code. */
  readonly held?: Held;
  /** Finished steps with another input in the present code, such as another prompt. */
  readonly changes?: readonly CodeChange[];
  readonly tasks?: readonly TaskState[];
  /** `seq` of the last event included in this view. Absent in answers of earlier Workers. */
  readonly lastSeq?: number;
  /** Version of its definition, if the code has several. */
  readonly definitionVersion?: string;
  readonly tags?: readonly string[];
  /** Trigger of the run: `schedule:<id>`, `hook:<name>` or `queue:<name>`. */
  readonly trigger?: string;
  readonly meta?: JsonObject;
  readonly origin?: RunOrigin;
  /** Entry into the crew other than a kickoff. */
  readonly entry?: JsonObject;
  readonly parent?: RunParent;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

/** A run at one place of its event log: a reader continuing from there misses no event, and gets none twice. */
export type RunSnapshot = {
  readonly run: Run;
  /** `seq` of the last event included in this state. */
  readonly seq: number;
  /** Time of this event. ISO 8601, UTC. */
  readonly at: string;
  /** Stored events up to there of the requested types. */
  readonly events: readonly RunEvent[];
};

/** A step as the API shows it. */
export type Step = {
  readonly key: string;
  readonly kind: StepKind;
  /** Name of the step for people; absent if its key is enough. */
  readonly label?: string;
  /** Key of the enclosing step; absent for a step of the program itself. */
  readonly parent?: string;
  readonly state: StepState;
  readonly attempt: number;
  /** Number of attempts cut off by a crash. */
  readonly interrupted: number;
  /** Its places in the common order of all starts and ends of steps. */
  readonly seq: { readonly start: number; readonly end?: number };
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly bytes: number;
  /** Name of the model, for a model call. */
  readonly model?: string;
  /** Role of the calling agent, for a model call. */
  readonly agent?: string;
  readonly usage?: Usage;
  /** Present or former question of a wait. */
  readonly wait?: Wait;
  readonly cause?: StepCause;
  /** Set if its result was edited when the run was forked. */
  readonly edited?: true;
  /** Fingerprint of the result: equal results have equal ones. */
  readonly hash?: string;
  readonly value?: JsonValue;
  /** The length of the result, where `value` is only the beginning of its JSON text. */
  readonly truncated?: number;
  /** New part of a model call's request; see `RecordedRequest`. */
  readonly request?: JsonValue;
  /** Length of its result and request in UTF-16 units, if they were requested and are too long for an answer. */
  readonly omitted?: number;
  readonly error?: ErrorRecord;
};

/** A wait for an outside answer or event. */
export type OpenWait = { readonly wait: Wait; readonly openedAtMs: number };

/** Row of a run in the index over all runs. */
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
  /** Time at which the sweeper checks the run for a lost alarm; null if it needs no alarm. */
  readonly leaseUntilMs: number | null;
  /** Absent for a run without any wait so far. */
  readonly waits?: readonly OpenWait[];
  readonly definitionVersion?: string;
  /** Last version of the code with which a held run was tried. */
  readonly heldVersion?: string;
  /** Present if sums over runs are computed. */
  readonly sums?: RunSums;
  readonly listed?: ListedFacts;
};

/** Fields of a run in listings beside its name, status and times, and fields for finding it. */
export type ListedFacts = {
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  /** Absent while the run has more to say soon. */
  readonly usage?: SpentInAll;
  /** Number of open waits for an outside answer or event. */
  readonly waits?: number;
  /** The message is cut. */
  readonly error?: Pick<ErrorRecord, "code" | "message">;
  readonly tags?: readonly string[];
  readonly startedBy?: string;
  readonly originId?: string;
  /** Deployment of the last drive, if known. */
  readonly codeVersion?: string;
  /** Words of the run, if runs are searchable. */
  readonly text?: string;
};

/** Usage of a run and its children. */
export type SpentInAll = {
  readonly tokens: number;
  readonly costUsd: number;
  readonly requests: number;
};
