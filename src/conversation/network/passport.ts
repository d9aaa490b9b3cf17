// Identity of a network's member, and its observed capabilities.
//
//   PSP1. Observed capabilities are derived from the member's finished tasks, not from its own claims.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { TaskRecord } from "./task-record.ts";

/** A member's description of itself. */
export type PassportOptions = {
  readonly owner?: string;
  readonly provider?: string;
  /** @default the agent's model, if it is a text */
  readonly model?: string;
  readonly cost?: string;
  readonly region?: string;
  /** @default "human" for an agent that always asks its person, else "agent" */
  readonly kind?: "agent" | "human" | "remote_agent";
  /** Declared capabilities. @default [] */
  readonly capabilities?: readonly string[];
  /** @default [] */
  readonly domains?: readonly string[];
  /** @default the agent's description */
  readonly summary?: string;
  /** @default [] */
  readonly examples?: readonly string[];
};

/** A capability as observed in tasks. */
export type ObservedCapability = {
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  /** Median duration of completed tasks. Absent without completed tasks. */
  readonly p50LatencyMs?: number;
};

/** Identity of a network's member. */
export type Passport = Required<
  Pick<PassportOptions, "kind" | "capabilities" | "domains" | "summary" | "examples">
> &
  Omit<PassportOptions, "kind" | "capabilities" | "domains" | "summary" | "examples"> & {
    readonly name: string;
    /** Observed capabilities, by name. */
    readonly observed: Readonly<Record<string, ObservedCapability>>;
  };

/** Makes the passport of an agent. `tasks` are its observed tasks. */
export function passportOf(
  agent: ConversableAgent,
  options: PassportOptions = {},
  tasks: readonly TaskRecord[] = [],
): Passport {
  const isHuman = agent.humanInputMode === "ALWAYS" && agent.llm === false;
  return {
    ...(typeof agent.llm === "string" ? { model: agent.llm } : undefined),
    kind: isHuman ? "human" : "agent",
    capabilities: [],
    domains: [],
    summary: agent.description,
    examples: [],
    ...options,
    name: agent.name,
    observed: observedCapabilities(tasks.filter((task) => task.agent === agent.name)),
  };
}

/** Returns observations by capability. Open and cancelled tasks, and tasks without a capability, do not count. */
function observedCapabilities(
  tasks: readonly TaskRecord[],
): Readonly<Record<string, ObservedCapability>> {
  const byCapability = new Map<string, TaskRecord[]>();
  for (const task of tasks) {
    const { capability, state } = task;
    if (capability === undefined || !["completed", "failed", "expired"].includes(state)) continue;
    byCapability.set(capability, [...(byCapability.get(capability) ?? []), task]);
  }
  return Object.fromEntries(
    Array.from(byCapability, ([capability, own]) => [capability, observed(own)]),
  );
}

function observed(tasks: readonly TaskRecord[]): ObservedCapability {
  const inState = (state: TaskRecord["state"]): readonly TaskRecord[] =>
    tasks.filter((task) => task.state === state);
  const latencies = inState("completed")
    .map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs)
    .toSorted((a, b) => a - b);
  const p50LatencyMs = latencies[Math.ceil(latencies.length / 2) - 1];
  return {
    count: tasks.length,
    completed: latencies.length,
    failed: inState("failed").length,
    expired: inState("expired").length,
    ...(p50LatencyMs === undefined ? undefined : { p50LatencyMs }),
  };
}
