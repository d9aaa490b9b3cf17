// Who a member of a network is, and what it has shown that it can do.
//
//   PSP1. What is observed of a member follows from its finished tasks, by capability; nobody claims it.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { TaskRecord } from "./network-task.ts";

/** What a member says of itself. */
export type PassportOptions = {
  readonly owner?: string;
  readonly provider?: string;
  /** @default the agent's model, where that is a text */
  readonly model?: string;
  readonly cost?: string;
  readonly region?: string;
  /** @default "human" for an agent whose person is always asked, else "agent" */
  readonly kind?: "agent" | "human" | "remote_agent";
  /** What it says that it can do. @default [] */
  readonly capabilities?: readonly string[];
  /** @default [] */
  readonly domains?: readonly string[];
  /** @default the agent's description */
  readonly summary?: string;
  /** @default [] */
  readonly examples?: readonly string[];
};

/** What tasks have shown of a capability. */
export type ObservedCapability = {
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
  readonly expired: number;
  /** The median of what completed tasks took. Absent where there is none. */
  readonly p50LatencyMs?: number;
};

/** Who a member of a network is. */
export type Passport = Required<
  Pick<PassportOptions, "kind" | "capabilities" | "domains" | "summary" | "examples">
> &
  Omit<PassportOptions, "kind" | "capabilities" | "domains" | "summary" | "examples"> & {
    readonly name: string;
    /** By capability. */
    readonly observed: Readonly<Record<string, ObservedCapability>>;
  };

/** The passport of an agent. `tasks` are those that it was observed in. */
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

/** What tasks have shown, by capability. Tasks that are under way, cancelled, or of no capability count for nothing. */
export function observedCapabilities(
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
