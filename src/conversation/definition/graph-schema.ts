// A transition graph as data, and its faults.
//
//   GRS1. A graph names only participants, conditions and targets that exist. It can end: by a reachable target that
//         ends it, or by `maxTurns`.
/* oxlint-disable unicorn/no-thenable -- `then` is how these graphs are written, and never a function */
import * as z from "zod";
import { camelCase } from "../../base/camel-case.ts";
import type { Issue } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";
import {
  byPriority,
  GRAPH_REGISTRY,
  kindOf,
  type GraphRegistry,
  type GraphTerm,
  type TransitionGraph,
} from "../targets/transition-graph.ts";

const term = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : camelFields(value)),
  z.strictObject({
    name: z.string().min(1),
    args: z.preprocess((value) => camelFields(value ?? {}), z.record(z.string(), z.json())),
  }),
);

/** The form of a graph, in camelCase or snake_case. */
export const graphSchema: z.ZodType<TransitionGraph> = z.preprocess(
  camelFields,
  z
    .strictObject({
      initialSpeaker: z.string().min(1),
      transitions: z
        .array(
          z.preprocess(
            camelFields,
            z.strictObject({ when: term, then: term, priority: z.number().default(0) }),
          ),
        )
        .default([]),
      defaultTarget: term.nullable().default(null),
      maxTurns: z.int().min(1).nullish(),
    })
    .transform(({ maxTurns, ...graph }) => ({
      ...graph,
      ...(maxTurns === undefined || maxTurns === null ? {} : { maxTurns }),
    })),
);

/** Returns the faults of a graph among these participants. Paths begin at the graph. */
export function graphFaults(
  graph: TransitionGraph,
  participants: readonly string[],
  registry: GraphRegistry = GRAPH_REGISTRY,
): readonly Issue[] {
  const terms = graph.transitions.flatMap(({ when, then }, index) => [
    ...termFaults(registry.conditions, when, { path: `/transitions/${index}/when`, participants }),
    ...termFaults(registry.targets, then, { path: `/transitions/${index}/then`, participants }),
  ]);
  const { defaultTarget, initialSpeaker } = graph;
  const faults = [
    ...memberFaults(initialSpeaker, participants, "/initialSpeaker"),
    ...terms,
    ...(defaultTarget === null
      ? []
      : termFaults(registry.targets, defaultTarget, { path: "/defaultTarget", participants })),
  ];
  if (faults.length > 0 || graph.maxTurns !== undefined) return faults;
  return canEnd(graph, participants, registry)
    ? []
    : [
        {
          path: "",
          message:
            "this graph has no end: add a transition to terminate that can be reached, leave out the default target, or set maxTurns",
        },
      ];
}

type Among = { readonly path: string; readonly participants: readonly string[] };

function termFaults(
  kinds: ReadonlyMap<string, { readonly args: z.ZodType<JsonObject> }>,
  { name, args }: GraphTerm,
  { path, participants }: Among,
): readonly Issue[] {
  const kind = kinds.get(name);
  if (kind === undefined)
    return [
      {
        path: `${path}/name`,
        message: `expected one of ${[...kinds.keys()].join(", ")}, got ${JSON.stringify(name)}`,
      },
    ];
  const parsed = kind.args.safeParse(args);
  if (!parsed.success)
    return toIssues(parsed.error, args).map((issue) => ({
      ...issue,
      path: `${path}/args${issue.path}`,
    }));
  const { agentId } = args;
  return agentId === undefined ? [] : memberFaults(agentId, participants, `${path}/args/agentId`);
}

function memberFaults(
  name: JsonValue,
  participants: readonly string[],
  path: string,
): readonly Issue[] {
  if (typeof name === "string" && participants.includes(name)) return [];
  const message = `expected one of ${participants.join(", ")}, got ${JSON.stringify(name)}`;
  return [{ path, message }];
}

/** Follows all possible transitions from the first speaker on. */
function canEnd(
  graph: TransitionGraph,
  participants: readonly string[],
  registry: GraphRegistry,
): boolean {
  const reached = [graph.initialSpeaker];
  for (const name of reached)
    for (const target of targetsAfter(name, graph, registry)) {
      if (target === null) return true;
      const decision = kindOf(registry.targets, target, "target").decide(target.args, {
        speaker: name,
        context: {},
        turnCount: 1,
        participants,
        // Any participant may have opened the conversation; the first speaker stands for it.
        initiator: graph.initialSpeaker,
      });
      if (decision.kind === "end") return true;
      if (!reached.includes(decision.name)) reached.push(decision.name);
    }
  return false;
}

/** Returns the targets that may follow this speaker. Transitions after one that always holds are unreachable. */
function targetsAfter(
  name: string,
  graph: TransitionGraph,
  { conditions }: GraphRegistry,
): readonly (GraphTerm | null)[] {
  const targets: (GraphTerm | null)[] = [];
  for (const { when, then } of byPriority(graph)) {
    const holds = kindOf(conditions, when, "condition").always?.(when.args, name);
    if (holds !== false) targets.push(then);
    if (holds === true) return targets;
  }
  return [...targets, graph.defaultTarget];
}

function camelFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [camelCase(key), each]));
}
