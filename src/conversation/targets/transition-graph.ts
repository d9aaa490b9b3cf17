// A conversation's turns as one graph in JSON: the first speaker, and the transitions.
//
//   TGR1. Transitions are tried by ascending priority, and in order within one priority. The first one whose condition
//         holds decides.
//   TGR2. If none holds, the default target decides; without one the conversation ends.
/* oxlint-disable unicorn/no-thenable -- `then` is how these graphs are written, and never a function */
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { canonicalJson, type JsonObject } from "../../base/json.ts";

/** A condition or a target by its name, with its arguments. */
export type GraphTerm = { readonly name: string; readonly args: JsonObject };

/** A transition: if its condition holds after a turn, its target decides the next speaker. */
export type GraphTransition = {
  readonly when: GraphTerm;
  readonly then: GraphTerm;
  /** Priority; the lowest is tried first. @default 0 */
  readonly priority: number;
};

/** First speaker and transitions. */
export type TransitionGraph = {
  readonly initialSpeaker: string;
  readonly transitions: readonly GraphTransition[];
  /** Null: the conversation ends if no transition holds. */
  readonly defaultTarget: GraphTerm | null;
  /** Maximum number of turns; then the conversation ends. */
  readonly maxTurns?: number;
};

/** A turn that has just ended, as conditions and targets see it. */
export type FinishedTurn = {
  readonly speaker: string;
  /** The routing tool of the turn, if any. */
  readonly tool?: string;
  /** The context variables, with the updates of this turn. */
  readonly context: JsonObject;
  /** Number of turns, including this one. */
  readonly turnCount: number;
  readonly participants: readonly string[];
  readonly initiator: string;
};

/** The next speaker, or the reason for the end. */
export type TurnDecision =
  | { readonly kind: "speaker"; readonly name: string }
  | { readonly kind: "end"; readonly reason: string };

/** A kind of condition. */
export type GraphCondition = {
  readonly args: z.ZodType<JsonObject>;
  readonly holds: (args: JsonObject, turn: FinishedTurn) => boolean;
  /** True if it holds after every turn of this speaker; undefined if it depends on the turn. */
  readonly always?: (args: JsonObject, speaker: string) => boolean | undefined;
};

/** A kind of target. */
export type GraphTarget = {
  readonly args: z.ZodType<JsonObject>;
  readonly decide: (args: JsonObject, turn: FinishedTurn) => TurnDecision;
};

/** Kinds of conditions and targets available to graphs. */
export type GraphRegistry = {
  readonly conditions: ReadonlyMap<string, GraphCondition>;
  readonly targets: ReadonlyMap<string, GraphTarget>;
};

const agentArgs = z.strictObject({ agentId: z.string().min(1) });
const none = z.strictObject({});

const speaker = (name: string): TurnDecision => ({ kind: "speaker", name });

/** Kinds available to every graph. */
export const GRAPH_REGISTRY: GraphRegistry = {
  conditions: new Map<string, GraphCondition>([
    ["always", { args: none, holds: () => true, always: () => true }],
    [
      "from_speaker",
      {
        args: agentArgs,
        holds: ({ agentId }, turn) => turn.speaker === agentId,
        always: ({ agentId }, name) => name === agentId,
      },
    ],
    [
      "tool_called",
      {
        args: z.strictObject({ toolName: z.string().min(1) }),
        holds: ({ toolName }, { tool }) => tool !== undefined && tool === toolName,
      },
    ],
    [
      "context_equals",
      {
        args: z.strictObject({ key: z.string(), value: z.json() }),
        holds: ({ key, value }, { context }) =>
          typeof key === "string" &&
          Object.hasOwn(context, key) &&
          canonicalJson(context[key] ?? null) === canonicalJson(value ?? null),
      },
    ],
  ]),
  targets: new Map<string, GraphTarget>([
    ["agent", { args: agentArgs, decide: ({ agentId }) => speaker(agentId as string) }],
    ["stay", { args: none, decide: (_, turn) => speaker(turn.speaker) }],
    ["revert_to_initiator", { args: none, decide: (_, turn) => speaker(turn.initiator) }],
    ["round_robin", { args: none, decide: (_, turn) => speaker(after(turn)) }],
    [
      "terminate",
      {
        args: z.strictObject({ reason: z.string().min(1).optional() }) as z.ZodType<JsonObject>,
        decide: ({ reason = "after_work" }) => ({ kind: "end", reason: reason as string }),
      },
    ],
  ]),
};

/** Returns the decision after a turn. */
export function nextTurn(
  graph: TransitionGraph,
  turn: FinishedTurn,
  registry: GraphRegistry = GRAPH_REGISTRY,
): TurnDecision {
  const transition = byPriority(graph).find(({ when }) =>
    kindOf(registry.conditions, when, "condition").holds(when.args, turn),
  );
  const target = transition?.then ?? graph.defaultTarget;
  if (target === null) return { kind: "end", reason: "workflow_terminated" };
  return kindOf(registry.targets, target, "target").decide(target.args, turn);
}

/** Returns the first of a turn's tool calls that a transition waits for. */
export function routingTool(graph: TransitionGraph, calls: readonly string[]): string | undefined {
  const awaited = graph.transitions.flatMap(({ when }) =>
    when.name === "tool_called" ? [when.args["toolName"]] : [],
  );
  return calls.find((name) => awaited.includes(name));
}

/** Makes a graph of all members in turn, until `maxTurns`. */
export function roundRobinGraph(
  participants: readonly string[],
  maxTurns?: number,
): TransitionGraph {
  return {
    initialSpeaker: firstOf(participants, "roundRobinGraph"),
    transitions: [],
    defaultTarget: { name: "round_robin", args: {} },
    ...(maxTurns === undefined ? {} : { maxTurns }),
  };
}

/** Makes a graph with each step once, in this order. Throws `invalid_definition` for a duplicate participant. */
export function sequenceGraph(steps: readonly string[]): TransitionGraph {
  const initialSpeaker = firstOf(steps, "sequenceGraph");
  const repeated = steps.find((name, index) => steps.indexOf(name) !== index);
  if (repeated !== undefined)
    throw invalidDefinition(
      `a sequence has each participant once, got "${repeated}" again: use transitions on context variables for more`,
    );
  return {
    initialSpeaker,
    transitions: steps.slice(1).map((next, index) => ({
      when: { name: "from_speaker", args: { agentId: steps[index] ?? "" } },
      then: { name: "agent", args: { agentId: next } },
      priority: 0,
    })),
    defaultTarget: { name: "terminate", args: { reason: "sequence_complete" } },
    maxTurns: steps.length,
  };
}

/** Returns the transitions in the order of their evaluation. */
export function byPriority({ transitions }: TransitionGraph): readonly GraphTransition[] {
  return transitions.toSorted((a, b) => a.priority - b.priority);
}

/** Returns the kind of a term. Throws `invalid_definition` for an unknown kind. */
export function kindOf<Kind>(
  kinds: ReadonlyMap<string, Kind>,
  { name }: GraphTerm,
  what: string,
): Kind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw new EngineError(
    "invalid_definition",
    `the graph names the ${what} "${name}", which does not exist; there are: ${[...kinds.keys()].join(", ")}`,
  );
}

function after({ speaker: name, participants }: FinishedTurn): string {
  return participants[(participants.indexOf(name) + 1) % participants.length] ?? name;
}

function firstOf(names: readonly string[], where: string): string {
  const [first] = names;
  if (first === undefined) throw invalidDefinition(`${where} needs at least one participant`);
  return first;
}
