// Planted bugs of flows, and of what flows alone lean on; see planted-bugs.ts.
import { isJsonObject } from "../../src/base/json.ts";
import type { FlowGraph, Subscriber, Subscribers } from "../../src/flow/flow-graph.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import { LABELS } from "./flow.ts";
import { withScope, withStore } from "./overriding.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { crewaiFlowPrograms, flowPrograms } from "./programs.ts";

export const FLOW_BUGS: readonly PlantedBug[] = [
  {
    name: "state-of-a-method-is-lost-by-replay",
    rules: ["RF1"],
    breaks: "What a method that has ended did to the state is not done again.",
    programs: flowPrograms,
    ports: (ports) =>
      withScope(ports, {
        group: (result, isReplayed) => {
          if (!isReplayed || !isMethodRecord(result)) return result;
          const { change: _, ...others } = result;
          return others as typeof result;
        },
      }),
  },
  {
    name: "label-of-a-router-is-made-again-by-replay",
    rules: ["RF1"],
    breaks: "A router that has ended gives another label in the next drive.",
    programs: flowPrograms,
    ports: (ports) =>
      withScope(ports, {
        group: (result, isReplayed) => {
          if (!isReplayed || !isMethodRecord(result)) return result;
          const { label } = result;
          if (typeof label !== "string") return result;
          return { ...result, label: label === LABELS[0] ? LABELS[1] : LABELS[0] };
        },
      }),
  },
  {
    name: "unfinished-method-sees-another-state",
    rules: ["J15", "RF2"],
    breaks: "A group that was entered before is entered as soon as it is asked for.",
    programs: flowPrograms,
    ports: (ports) => {
      const places = new Map<string, number>();
      const early = (row: StepRecord | undefined): StepRecord | undefined => {
        if (row?.kind !== "method" || row.state !== "started") return row;
        places.set(row.key, row.startedSeq);
        return { ...row, startedSeq: 0 };
      };
      return withStore(ports, ({ journal }) => ({
        journal: {
          get: (key) => early(journal.get(key)),
          put: (row) =>
            journal.put({ ...row, startedSeq: row.startedSeq || (places.get(row.key) ?? 0) }),
        },
      }));
    },
  },
  {
    name: "join-is-met-by-any-after-a-restart",
    rules: ["FC3"],
    breaks: "In later drives a method that waits for all of several begins with the first of them.",
    programs: flowPrograms,
    graph: (graph) =>
      withSubscribers(graph, (subscriber) => {
        const { condition } = subscriber;
        if (typeof condition === "string" || !("and" in condition)) return subscriber;
        return { ...subscriber, condition: { or: condition.and }, atLeast: 1 };
      }),
  },
  {
    name: "listener-of-any-fires-again-after-a-restart",
    rules: ["FC4"],
    breaks: "In later drives a listener that waits for any of several begins with each of them.",
    programs: flowPrograms,
    graph: (graph) => withSubscribers(graph, (subscriber) => ({ ...subscriber, once: false })),
  },
  {
    name: "change-of-a-hook-is-lost-by-replay",
    rules: ["HK1"],
    breaks: "What hooks changed counts only in the drive in which they were called.",
    programs: flowPrograms,
    ports: (ports) =>
      withScope(ports, {
        stepResult: (result, isReplayed) => {
          if (!isReplayed || !isJsonObject(result) || !("hookCount" in result)) return result;
          const { change: _, ...others } = result;
          return others as typeof result;
        },
      }),
  },
  {
    name: "restored-state-is-looked-up-again-by-replay",
    rules: ["FP2"],
    breaks: "In later drives a flow begins with what is kept by then.",
    programs: flowPrograms,
    ports: (ports) =>
      withScope(ports, {
        stepResult: (result, isReplayed) => {
          if (!isReplayed || !isJsonObject(result) || !isJsonObject(result["state"])) return result;
          return { ...result, state: { ...result["state"], count: -1 } };
        },
      }),
  },
  {
    name: "hooks-are-called-again-by-replay",
    rules: ["HK1"],
    breaks: "Hooks whose result is on record are called again in the next drive.",
    programs: flowPrograms,
    ports: (ports) =>
      withStore(ports, ({ journal }) => ({
        journal: {
          get: (key) => {
            const row = journal.get(key);
            const isHook = row?.state === "done" && row.key.endsWith("/hook:pre_step");
            return isHook ? { ...row, state: "started", endedSeq: null } : row;
          },
        },
      })),
  },
  {
    name: "races-have-no-winner-after-a-restart",
    rules: ["FC8"],
    breaks: "In later drives all methods of a race count.",
    programs: flowPrograms,
    graph: (graph) => ({ ...graph, races: [] }),
  },
  {
    name: "rules-of-crewai-end-with-a-restart",
    rules: ["FC9"],
    breaks: "In later drives a flow that is to go by CrewAI's rules goes by ours.",
    programs: crewaiFlowPrograms,
    graph: (graph) => ({ ...graph, compat: false }),
  },
];

function isMethodRecord(value: unknown): value is { readonly change: unknown; label?: unknown } {
  return isJsonObject(value) && isJsonObject(value["change"]) && "fields" in value["change"];
}

function withSubscribers(
  graph: FlowGraph,
  changed: (subscriber: Subscriber) => Subscriber,
): FlowGraph {
  const subscribersOf = [...graph.subscribersOf].map(
    ([trigger, { routers, listeners, starts }]): [string, Subscribers] => [
      trigger,
      {
        routers: routers.map(changed),
        listeners: listeners.map(changed),
        starts: starts.map(changed),
      },
    ],
  );
  return { ...graph, subscribersOf: new Map(subscribersOf) };
}
