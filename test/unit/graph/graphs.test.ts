import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { announce } from "../../../examples/announce.ts";
import { debate } from "../../../examples/debate.ts";
import { inboxDigest } from "../../../examples/inbox-digest.ts";
import { incidentReview } from "../../../examples/incident-review.ts";
import { releaseNotes } from "../../../examples/release-notes.ts";
import { supportReply } from "../../../examples/support-reply.ts";
import { Tighten } from "../../../examples/tighten.ts";
import { tutoring } from "../../../examples/tutoring.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { graphOfConversation } from "../../../src/conversation/picture/graph-of-conversation.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { graphOfCrew } from "../../../src/crew/graph-of-crew.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { flowStructure } from "../../../src/flow/plot/flow-structure.ts";
import { graphOfFlow } from "../../../src/flow/plot/graph-of-flow.ts";
import type { Graph } from "../../../src/wire/graph.ts";
import { inLanes } from "../../../src/graph/in-lanes.ts";
import { inRows } from "../../../src/graph/in-rows.ts";
import { layInRows } from "../../../src/graph/row-layout.ts";
import { flowDefinitions } from "../../support/flow-definitions.ts";

const agent = (role: string): Agent => new Agent({ role, goal: "Work", backstory: "You work." });

const [alice, bob] = [agent("Alice"), agent("Bob")];
const common = { description: "Do it", expectedOutput: "It" };
const first = new Task({ ...common, name: "first", agent: alice });
const beside = new Task({ ...common, name: "beside", agent: bob, asyncExecution: true });
const also = new Task({ ...common, name: "also", agent: alice, asyncExecution: true });
const joined = new Task({ ...common, name: "joined", agent: bob, humanInput: true });
const fed = new Task({ ...common, name: "fed", agent: bob, context: [first, also] });
const maybe = new ConditionalTask({
  ...common,
  name: "maybe",
  agent: alice,
  condition: () => true,
});
const tasks = [first, beside, also, joined, fed, maybe];

/** A task that its crew's manager gives to somebody. */
const loose = (name: string, more: { asyncExecution?: boolean } = {}): Task =>
  new Task({ ...common, name, ...more });

const waysOf = ({ edges }: Graph): string[] =>
  edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);

describe("the graph of a crew", () => {
  it("has its tasks in groups by agent, with context links and order (CA29)", () => {
    const graph = graphOfCrew("team", new Crew({ name: "team", agents: [alice, bob], tasks }));
    expect(graph.groups).toEqual([
      { id: "agent:0", label: "Alice" },
      { id: "agent:1", label: "Bob" },
    ]);
    expect(waysOf(graph)).toEqual([
      "task:first next task:beside",
      "task:first next task:also",
      "task:beside next task:joined",
      "task:also next task:joined",
      "task:first fed task:fed",
      "task:also fed task:fed",
      "task:fed next task:maybe",
    ]);
    const flags = graph.nodes.map(({ label, start, async, human, conditional }) => ({
      label,
      flags: Object.keys({
        ...(start && { start }),
        ...(async && { async }),
        ...(human && { human }),
        ...(conditional && { conditional }),
      }).join(),
    }));
    expect(Object.fromEntries(flags.map(({ label, flags: which }) => [label, which]))).toEqual({
      first: "start",
      beside: "async",
      also: "async",
      joined: "human",
      fed: "",
      maybe: "conditional",
    });
  });

  it("has the manager of a hierarchical crew, with delegation links to all tasks (CA29)", () => {
    const crew = new Crew({
      name: "team",
      process: "hierarchical",
      managerLlm: "openai/gpt-5-mini",
      agents: [alice, bob],
      tasks: [first, joined],
    });
    const graph = graphOfCrew("team", crew);
    expect(graph.nodes[0]).toMatchObject({ id: "manager", kind: "manager" });
    expect(waysOf(graph)).toEqual([
      "manager delegates task:first",
      "manager delegates task:joined",
      "task:first next task:joined",
    ]);
  });
});

describe("the graph of a flow", () => {
  /** What leads from method to method, through labels and joins. */
  function between({ nodes, edges }: Graph): readonly string[] {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const reached = (from: string, label?: string): string[] =>
      edges
        .filter((edge) => edge.from === from)
        .flatMap(({ to }) => {
          const node = byId.get(to);
          if (node?.kind === "method") return [label === undefined ? to : `${to} (${label})`];
          return reached(to, node?.kind === "label" ? node.label : label);
        });
    return nodes
      .filter(({ kind }) => kind === "method")
      .flatMap(({ id }) => reached(id).map((to) => `${id} → ${to}`))
      .toSorted();
  }

  it.each(
    [announce, inboxDigest, new Tighten().flow].map(
      (flow) => [flow.name, flow.definition] as const,
    ),
  )("equals its plot in nodes and edges: %s (CA29)", (name, definition) => {
    const graph = graphOfFlow(name, definition);
    const structure = flowStructure(definition);
    const methods = graph.nodes.filter(({ kind }) => kind === "method");
    expect(methods.map(({ label }) => label)).toEqual(Object.keys(structure.nodes));
    const edges = structure.edges.map(({ source, target, routerEvent }) => {
      const label = routerEvent === undefined ? "" : ` (${routerEvent})`;
      return `method:${source} → method:${target}${label}`;
    });
    expect(between(graph)).toEqual(edges.toSorted());
  });
});

describe("the graph of a conversation", () => {
  it.each([debate, incidentReview, tutoring].map((each) => [each.name, each] as const))(
    "equals its picture in nodes and edges: %s (CA29)",
    (name, conversation) => {
      const picture = conversation.exchange.graph();
      const graph = graphOfConversation(name, conversation);
      expect(graph.nodes.map(({ id }) => id)).toEqual(picture.nodes.map(({ id }) => id));
      expect(graph.edges.map(({ from, to, label }) => [from, to, label])).toEqual(
        picture.links.map(({ from, to, label }) => [from, to, label]),
      );
      expect(new Set(graph.edges.map(({ id }) => id)).size).toBe(graph.edges.length);
      expect(graph.nodes.filter(({ start }) => start)).toHaveLength(1);
    },
  );
});

describe("a layout", () => {
  const isPlaced = (graph: Graph): void => {
    const { size = { width: 0, height: 0 }, nodes, edges, groups } = graph;
    for (const { x = -1, y = -1, width = 0, height = 0 } of [...nodes, ...groups]) {
      expect(x >= 0 && y >= 0 && width > 0 && height > 0).toBe(true);
      expect(x + width <= size.width + 0.1 && y + height <= size.height + 0.1).toBe(true);
    }
    for (const [index, a] of nodes.entries())
      for (const b of nodes.slice(index + 1)) expect(overlap(a, b)).toBe(false);
    for (const { path } of edges) expect(path).toMatch(/^M[\d.]+ [\d.]+[VC]/);
  };
  type Box = Graph["nodes"][number];
  const overlap = (a: Box, b: Box): boolean =>
    (a.x ?? 0) < (b.x ?? 0) + (b.width ?? 0) &&
    (b.x ?? 0) < (a.x ?? 0) + (a.width ?? 0) &&
    (a.y ?? 0) < (b.y ?? 0) + (b.height ?? 0) &&
    (b.y ?? 0) < (a.y ?? 0) + (a.height ?? 0);

  it("places all nodes, groups and edges of examples without overlap", async () => {
    const managed = new Crew({
      name: "managed",
      process: "hierarchical",
      managerLlm: "openai/gpt-5-mini",
      agents: [alice],
      tasks: [loose("one"), loose("two"), loose("three", { asyncExecution: true })],
    });
    const crews = [releaseNotes, supportReply, new Crew({ name: "team", tasks }), managed];
    for (const crew of crews) {
      const graph = await inLanes(graphOfCrew(crew.name, crew), {});
      isPlaced(graph);
      for (const { id, x = 0, y = 0, width = 0, height = 0 } of graph.groups)
        for (const node of graph.nodes.filter(({ group }) => group === id))
          expect(
            (node.x ?? -1) >= x &&
              (node.y ?? -1) >= y &&
              (node.x ?? 0) + (node.width ?? 0) <= x + width &&
              (node.y ?? 0) + (node.height ?? 0) <= y + height,
          ).toBe(true);
    }
    for (const each of [debate, incidentReview, tutoring])
      isPlaced(await inRows(graphOfConversation(each.name, each), {}));
  });

  it("places any flow", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(flowDefinitions({ maxMethods: 8 }), (definition) =>
        isPlaced(layInRows(graphOfFlow("f", definition))),
      ),
      { numRuns: 25 },
    );
  });

  it("is made once for equal graphs", async () => {
    const graph = graphOfFlow("digest", inboxDigest.definition);
    expect(await inRows(structuredClone(graph), {})).toBe(await inRows(graph, { layout: "1" }));
  });

  it("is left out on request", async () => {
    const graph = graphOfCrew("team", new Crew({ name: "team", tasks }));
    expect(await inLanes(graph, { layout: "0" })).toBe(graph);
  });
});
