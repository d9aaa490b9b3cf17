/* oxlint-disable unicorn/no-thenable -- `then` is how these graphs are written, and never a function */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../src/base/json.ts";
import { graphFaults, graphSchema } from "../../../../src/conversation/definition/graph-schema.ts";
import {
  GRAPH_REGISTRY,
  nextTurn,
  roundRobinGraph,
  routingTool,
  sequenceGraph,
  type TransitionGraph,
} from "../../../../src/conversation/targets/transition-graph.ts";
import {
  foldWorkflow,
  openWorkflow,
  type WorkflowMessage,
  type WorkflowState,
} from "../../../../src/conversation/workflow-state.ts";

const ABC = ["A", "B", "C"];
const open = (graph: TransitionGraph, context: JsonObject = {}): WorkflowState =>
  openWorkflow({ graph, participants: ABC, initiator: "A", context });
const text = (sender: string): WorkflowMessage => ({ kind: "text", sender });
const graphOf = (input: unknown): TransitionGraph => graphSchema.parse(input);

/** Lets whoever is expected speak until the workflow is closed. */
function played(graph: TransitionGraph, context?: JsonObject): { who: string[]; reason?: string } {
  let state = open(graph, context);
  const who: string[] = [];
  while (state.expectedSpeaker !== undefined && who.length < 50) {
    who.push(state.expectedSpeaker);
    state = foldWorkflow(state, text(state.expectedSpeaker));
  }
  return state.closedBecause === undefined ? { who } : { who, reason: state.closedBecause };
}

it("D9-76: a sequence ends when it is complete", () => {
  expect(played(sequenceGraph(ABC))).toEqual({ who: ABC, reason: "sequence_complete" });
  expect(played(sequenceGraph(["B"]))).toEqual({ who: ["B"], reason: "sequence_complete" });
  expect(() => sequenceGraph(["A", "B", "A"])).toThrow(/each participant once, got "A" again/);
  expect(() => sequenceGraph([])).toThrow(/at least one participant/);
});

it("D9-77: a round robin ends at its maximum", () => {
  expect(played(roundRobinGraph(ABC, 4))).toEqual({
    who: ["A", "B", "C", "A"],
    reason: "max_turns",
  });
});

it("D9-78: a speaker out of turn is refused, without a change", () => {
  const state = open(sequenceGraph(ABC));
  const before = structuredClone(state);
  expect(() => foldWorkflow(state, text("B"))).toThrow(
    expect.objectContaining({
      code: "conflict",
      message: 'it is the turn of "A", got a text from "B"',
    }),
  );
  expect(state).toEqual(before);
});

const TWO = {
  initial_speaker: "A",
  transitions: [
    { when: { name: "always" }, then: { name: "agent", args: { agent_id: "B" } }, priority: 5 },
    { when: "always", then: { name: "agent", args: { agentId: "C" } }, priority: 1 },
  ],
};

it("D9-79: the lowest priority wins", () => {
  expect(foldWorkflow(open(graphOf(TWO)), text("A")).expectedSpeaker).toBe("C");
});

it("D9-80: a finishing packet closes, and one with a hand-over wins over the graph", () => {
  const state = open(graphOf(TWO));
  const finish = { kind: "finish", reason: "done", target: "B" } as const;
  expect(foldWorkflow(state, { kind: "packet", sender: "A", routing: finish })).toMatchObject({
    closedBecause: "done",
    turnCount: 1,
  });
  const handoff = { kind: "handoff", target: "B" } as const;
  expect(
    foldWorkflow(state, { kind: "packet", sender: "A", routing: handoff }).expectedSpeaker,
  ).toBe("B");
  expect(() =>
    foldWorkflow(state, { kind: "packet", sender: "A", routing: { kind: "handoff", target: "D" } }),
  ).toThrow(/hands over to "D", who is no participant/);
});

it("D9-81: a condition on the context reads variables of the same packet", () => {
  const graph = graphOf({
    initialSpeaker: "A",
    transitions: [
      {
        when: { name: "context_equals", args: { key: "k", value: { a: [1], b: 2 } } },
        then: { name: "agent", args: { agent_id: "C" } },
      },
    ],
    defaultTarget: "stay",
    maxTurns: 9,
  });
  const packet = (context: object): WorkflowMessage => ({
    kind: "packet",
    sender: "A",
    routing: { kind: "text" },
    context,
  });
  const set = { k: { b: 2, a: [1] } };
  expect(foldWorkflow(open(graph), packet({ set })).expectedSpeaker).toBe("C");
  expect(foldWorkflow(open(graph, set), packet({ removed: ["k"] })).expectedSpeaker).toBe("A");
  expect(foldWorkflow(open(graph, { k: 1 }), packet({ removed: ["k"], set })).context).toEqual(set);
});

describe("TGR1: transitions", () => {
  it("of one priority are tried in their order", () => {
    const transitions = ["B", "C"].map((agent_id) => ({
      when: "always",
      then: { name: "agent", args: { agent_id } },
    }));
    expect(
      foldWorkflow(open(graphOf({ initial_speaker: "A", transitions })), text("A")).expectedSpeaker,
    ).toBe("B");
  });

  it("can wait for a tool: the first awaited one of the turn's calls", () => {
    const graph = graphOf({
      initial_speaker: "A",
      transitions: [
        {
          when: { name: "tool_called", args: { tool_name: "escalate" } },
          then: { name: "agent", args: { agent_id: "C" } },
        },
        {
          when: { name: "tool_called", args: { tool_name: "ask" } },
          then: { name: "agent", args: { agent_id: "B" } },
        },
      ],
    });
    expect(routingTool(graph, ["search", "ask", "escalate"])).toBe("ask");
    expect(routingTool(graph, ["search"])).toBeUndefined();
    const routing = { kind: "handoff", tool: "ask" } as const;
    expect(
      foldWorkflow(open(graph), { kind: "packet", sender: "A", routing }).expectedSpeaker,
    ).toBe("B");
  });

  it("lead to the speaker, the initiator, the next one, or the end", () => {
    const turn = { speaker: "B", context: {}, turnCount: 1, participants: ABC, initiator: "A" };
    const after = (defaultTarget: unknown) =>
      nextTurn(graphOf({ initialSpeaker: "A", defaultTarget }), turn);
    expect(after("stay")).toEqual({ kind: "speaker", name: "B" });
    expect(after("revert_to_initiator")).toEqual({ kind: "speaker", name: "A" });
    expect(after("round_robin")).toEqual({ kind: "speaker", name: "C" });
    expect(after("terminate")).toEqual({ kind: "end", reason: "after_work" });
  });

  it("may be of registered kinds", () => {
    const registry = {
      conditions: new Map([
        ...GRAPH_REGISTRY.conditions,
        [
          "after_turn",
          {
            args: z.strictObject({ turn: z.int() }),
            holds: ({ turn }: JsonObject, { turnCount }: { turnCount: number }) =>
              turnCount === turn,
          },
        ],
      ] as const),
      targets: GRAPH_REGISTRY.targets,
    };
    const graph = graphOf({
      initialSpeaker: "A",
      transitions: [{ when: { name: "after_turn", args: { turn: 2 } }, then: "terminate" }],
      defaultTarget: "round_robin",
    });
    expect(graphFaults(graph, ABC, registry)).toEqual([]);
    expect(
      foldWorkflow(foldWorkflow(open(graph), text("A"), registry), text("B"), registry),
    ).toMatchObject({ closedBecause: "after_work" });
    expect(() => foldWorkflow(open(graph), text("A"))).toThrow(
      /condition "after_turn", which does not exist/,
    );
  });
});

it("TGR2: without transitions and a default the conversation ends after one turn", () => {
  expect(played(graphOf({ initial_speaker: "B" }))).toEqual({
    who: ["B"],
    reason: "workflow_terminated",
  });
});

describe("GRS1: faults", () => {
  it.each<[unknown, string, RegExp]>([
    [{ initial_speaker: "Z" }, "/initialSpeaker", /expected one of A, B, C, got "Z"/],
    [
      { ...TWO, transitions: [{ when: "sometimes", then: "stay" }] },
      "/transitions/0/when/name",
      /expected one of always, from_speaker/,
    ],
    [
      { ...TWO, transitions: [{ when: "constructor", then: "stay" }] },
      "/transitions/0/when/name",
      /got "constructor"/,
    ],
    [
      {
        ...TWO,
        transitions: [{ when: "always", then: { name: "agent", args: { agent_id: "Z" } } }],
      },
      "/transitions/0/then/args/agentId",
      /got "Z"/,
    ],
    [
      { ...TWO, transitions: [{ when: "always", then: "agent" }] },
      "/transitions/0/then/args/agentId",
      /expected string, got nothing/,
    ],
    [
      { ...TWO, default_target: { name: "stay", args: { x: 1 } } },
      "/defaultTarget/args/x",
      /is not a known field/,
    ],
    [{ ...TWO, default_target: "stay" }, "", /has no end/],
    [roundRobinGraph(ABC), "", /has no end/],
    [
      {
        initial_speaker: "A",
        transitions: [{ when: "always", then: "round_robin" }],
        default_target: "terminate",
      },
      "",
      /has no end/,
    ],
    [
      {
        initial_speaker: "A",
        transitions: [
          { when: { name: "from_speaker", args: { agent_id: "C" } }, then: "terminate" },
        ],
        default_target: "stay",
      },
      "",
      /has no end/,
    ],
  ])("of %j", (input, path, message) => {
    expect(graphFaults(graphOf(input), ABC)[0]).toEqual({
      path,
      message: expect.stringMatching(message),
    });
  });

  it("are empty when an end can be reached", () => {
    for (const graph of [
      sequenceGraph(ABC),
      roundRobinGraph(ABC, 3),
      graphOf({ initial_speaker: "A" }),
      graphOf({
        initial_speaker: "A",
        transitions: [
          {
            when: { name: "context_equals", args: { key: "done", value: true } },
            then: "terminate",
          },
        ],
        default_target: "round_robin",
      }),
      graphOf({
        initial_speaker: "A",
        transitions: [
          { when: { name: "from_speaker", args: { agent_id: "C" } }, then: "terminate" },
        ],
        default_target: "round_robin",
      }),
    ])
      expect(graphFaults(graph, ABC)).toEqual([]);
  });

  it("are empty for a limit, which may also be null", () => {
    expect(graphOf({ initial_speaker: "A", max_turns: 3 })).toMatchObject({ maxTurns: 3 });
    expect(graphOf({ initial_speaker: "A", max_turns: null })).not.toHaveProperty("maxTurns");
  });

  it("of form name the field", () => {
    const { error } = graphSchema.safeParse({ initialSpeaker: "A", maxTurns: 0, transition: [] });
    expect(error?.issues.map(({ path, code }) => [path.join("/"), code])).toEqual([
      ["maxTurns", "too_small"],
      ["", "unrecognized_keys"],
    ]);
  });

  it("are found when a walk without context finds no end, and in no other case", () => {
    const name = fc.constantFrom(...ABC);
    const then = fc.oneof(
      name.map((agentId) => ({ name: "agent", args: { agentId } })),
      fc
        .constantFrom("stay", "round_robin", "terminate", "revert_to_initiator")
        .map((each) => ({ name: each, args: {} })),
    );
    const when = name.map((agentId) => ({ name: "from_speaker", args: { agentId } }));
    const graphs = fc.record({
      initialSpeaker: fc.constant("A"),
      transitions: fc.array(fc.record({ when, then, priority: fc.nat(2) }), { maxLength: 5 }),
      defaultTarget: fc.option(then),
    });
    fc.assert(
      fc.property(graphs, (graph) => {
        expect(graphFaults(graph, ABC).length === 0).toBe(played(graph).reason !== undefined);
      }),
      { numRuns: 300 },
    );
  });
});

describe("WFS1: senders", () => {
  it("of context may be any participant, at any time, and only participants", () => {
    const state = foldWorkflow(open(sequenceGraph(ABC)), {
      kind: "context",
      sender: "C",
      context: { set: { a: 1 } },
    });
    expect(state).toMatchObject({ context: { a: 1 }, turnCount: 0, expectedSpeaker: "A" });
    expect(() => foldWorkflow(state, text("Z"))).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  });

  it("find a closed workflow closed", () => {
    const closed = foldWorkflow(open(sequenceGraph(["A"])), text("A"));
    expect(() => foldWorkflow(closed, text("A"))).toThrow(/closed: sequence_complete/);
    expect(closed.expectedSpeaker).toBeUndefined();
  });
});

it("WFS2: a finishing packet still changes the context", () => {
  const packet = {
    kind: "packet",
    sender: "A",
    routing: { kind: "finish", reason: "done" },
    context: { set: { a: 1 } },
  } as const;
  expect(foldWorkflow(open(roundRobinGraph(ABC)), packet)).toMatchObject({
    context: { a: 1 },
    closedBecause: "done",
  });
});
