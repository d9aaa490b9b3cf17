import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import type { Graph, GraphNode } from "../../../src/wire/graph.ts";
import {
  applyGraphEvent,
  graphOfRun,
  noGraphProgress,
  type GraphEvent,
} from "../../../src/wire/node-states.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import { ConversationWorld, REVIEW } from "../../support/conversation-world.ts";
import { askingScript, HttpWorld, textOf } from "../../support/http-app.ts";

const boss = new Agent({ role: "Boss", goal: "Lead", backstory: "b", allowDelegation: true });
const writer = new Agent({ role: "Writer", goal: "Write", backstory: "b" });
const common = { description: "Do it", expectedOutput: "It" };
const team = new Crew({
  name: "team",
  agents: [boss, writer],
  tasks: [new Task({ ...common, name: "lead", agent: boss })],
});
const outer = defineFlow({
  name: "outer",
  methods: {
    go: { start: true, run: async () => (await team.kickoff()).raw },
    choose: { listen: "go", router: true, emit: ["yes", "no"], run: () => "yes" },
    after: { listen: "yes", run: () => "end" },
    never: { listen: "no", run: () => "end" },
  },
});

/** Delegates once, and says what came of it. */
const delegating = new HttpWorld({
  crews: { team },
  flows: { outer },
  script: ({ messages, tools = [] }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `Done: ${textOfContent(last.content)}`;
    const delegate = tools.find(({ name }) => name.startsWith("delegate"));
    if (delegate === undefined) return "words";
    const input = { task: "dig", context: "c", coworker: "Writer" };
    return { toolCalls: [{ name: delegate.name, arguments: input }] };
  },
});

const graphAt = async (world: HttpWorld, path: string): Promise<Graph> => {
  const { status, json } = await world.ask(path);
  expect(status).toBe(200);
  return json as unknown as Graph;
};

type Box = Pick<GraphNode, "x" | "y" | "width" | "height">;

/** Fails unless one box is within the other, below the room for the label of the other. */
function isInside(inner: Box | undefined, around: Box | undefined): void {
  const [a, b] = [inner, around].map((box) => {
    const { x = Number.NaN, y = Number.NaN, width = 0, height = 0 } = box ?? {};
    return { x, y, right: x + width, bottom: y + height };
  });
  if (a === undefined || b === undefined) throw new Error("two boxes are needed");
  expect(a.x > b.x && a.right < b.right && a.y >= b.y + 28 && a.bottom < b.bottom).toBe(true);
}

const stateOf = ({ nodes }: Graph, label: string): GraphNode["state"] =>
  nodes.find((node) => node.label === label)?.state;

async function finished(world: HttpWorld, path: string, json: object = {}): Promise<string> {
  const { json: started } = await world.ask(path, { json });
  await world.clock.settle();
  return textOf(started["id"]);
}

it("a crew's run has states, and a node for delegated work (CA29)", async () => {
  const id = await finished(delegating, "/crews/team/kickoff");
  const graph = await graphAt(delegating, `/runs/${id}/graph`);
  expect(stateOf(graph, "lead")).toMatchObject({ state: "done", count: 1 });
  const [added] = graph.nodes.filter(({ kind }) => kind === "agent");
  expect(added).toMatchObject({ label: "Writer", state: { state: "done", count: 1 } });
  expect(graph.edges).toContainEqual(
    expect.objectContaining({ kind: "delegates", from: "task:lead", to: added?.id }),
  );
  isInside(added, graph.nodes[0]);
});

it("a flow's run has the tasks of its crews, and counts of labels (CA29)", async () => {
  const id = await finished(delegating, "/flows/outer/kickoff");
  const graph = await graphAt(delegating, `/runs/${id}/graph`);
  expect(stateOf(graph, "after")?.state).toBe("done");
  expect(stateOf(graph, "never")?.state).toBe("idle");
  expect(graph.groups).toMatchObject([{ label: "team", x: expect.any(Number) as number }]);
  expect(graph.nodes.find(({ label }) => label === "lead")).toMatchObject({
    kind: "task",
    group: "method:go/crew:team",
    sub: "Boss",
    state: { state: "done" },
  });
  const nodeOf = (label: string) => graph.nodes.find((node) => node.label === label);
  isInside(graph.groups[0], nodeOf("go"));
  isInside(nodeOf("lead"), graph.groups[0]);
  isInside(nodeOf("Writer"), nodeOf("lead"));
  expect(graph.edges.filter(({ path }) => path === undefined).map(({ kind }) => kind)).toEqual([
    "delegates",
    "delegates",
  ]);
  const routes = graph.edges.filter(({ kind }) => kind === "routes");
  expect(routes.map(({ count }) => count)).toEqual([1, undefined]);
});

it("GNS1, GNS2: the client derives the server's states from any prefix of events (CA29)", async () => {
  const id = await finished(delegating, "/flows/outer/kickoff");
  const { text } = await delegating.ask(`/runs/${id}/events?follow=0`);
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)) as GraphEvent);
  const definition = await graphAt(delegating, "/flows/outer/graph?layout=0");
  const server = await graphAt(delegating, `/runs/${id}/graph?layout=0`);
  fc.assert(
    fc.property(fc.nat(events.length), fc.nat(events.length), (one, other) => {
      const cut = Math.min(one, other);
      const progress = noGraphProgress(definition);
      for (const event of events.slice(0, cut)) applyGraphEvent(progress, event);
      // A stream that is joined again sends some events twice.
      const kept = JSON.parse(JSON.stringify(progress)) as typeof progress;
      for (const event of events.slice(Math.max(0, cut - 5), cut)) applyGraphEvent(progress, event);
      expect(graphOfRun(definition, progress)).toEqual(graphOfRun(definition, kept));
      for (const event of events.slice(Math.max(0, cut - 5))) applyGraphEvent(progress, event);
      expect(graphOfRun(definition, progress)).toEqual(server);
    }),
    { numRuns: 200 },
  );
});

it("a waiting task names its wait, and ends as stopped when the run is cancelled", async () => {
  const world = new HttpWorld({ script: askingScript() });
  const { json } = await world.ask("/crews/briefing/kickoff", { json: { inputs: { topic: "t" } } });
  await world.clock.settle();
  const path = `/runs/${textOf(json["id"])}`;
  const waiting = stateOf(await graphAt(world, `${path}/graph`), "research");
  expect(waiting).toMatchObject({
    state: "waiting",
    waits: [expect.stringMatching(/^task:research\/.*answer$/)],
  });
  await world.ask(`${path}/cancel`, { json: {} });
  expect(stateOf(await graphAt(world, `${path}/graph`), "research")?.state).toBe("stopped");
});

it("results copied by a fork are done in it", async () => {
  const world = new HttpWorld();
  const id = await finished(world, "/crews/briefing/kickoff", { inputs: { topic: "tea" } });
  const fork = await finished(world, `/runs/${id}/fork`, { fromTask: "report" });
  const graph = await graphAt(world, `/runs/${fork}/graph`);
  expect(graph.nodes.map(({ label, copied }) => [label, copied])).toEqual([
    ["research", true],
    ["report", undefined],
  ]);
  expect(stateOf(graph, "research")).toEqual({ state: "done", count: 1, durationMs: 0 });
});

it("a conversation's run has the turn counts of speakers and their order (CA29)", async () => {
  const world = new ConversationWorld();
  await world.ask("/conversations/review", {
    method: "PUT",
    body: REVIEW,
    headers: { "content-type": "application/yaml" },
  });
  const graph = await graphAt(world, "/conversations/review/graph");
  expect(graph.nodes.map(({ label, kind }) => `${label}: ${kind}`).toSorted()).toEqual([
    "ana: human",
    "ben: human",
    "end: end",
    "writer: speaker",
  ]);
  const id = await finished(world, "/conversations/review/kickoff", { message: "Write" });
  const run = await graphAt(world, `/runs/${id}/graph`);
  expect(stateOf(run, "writer")).toMatchObject({ state: "done", count: 1 });
  expect(stateOf(run, "ana")).toMatchObject({ state: "waiting" });
  const taken = run.edges.filter(({ count }) => count !== undefined);
  expect(taken.map(({ from, to, count }) => [from, to, count])).toEqual([["writer", "ana", 1]]);
});

it("an unknown name or run is 404, and another layout 400", async () => {
  const world = new HttpWorld();
  for (const path of ["/crews/no/graph", "/flows/no/graph", "/runs/no/graph"])
    expect((await world.ask(path)).status).toBe(404);
  expect((await world.ask("/crews/briefing/graph?layout=2")).status).toBe(400);
  const { json } = await world.ask("/crews/briefing/graph?layout=0");
  expect(json["size"]).toBeUndefined();
});
