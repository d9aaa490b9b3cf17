import { EngineError } from "../../base/error.ts";
import { eventStreamParser } from "../../base/event-stream-parser.ts";
import type { Graph } from "../../wire/graph.ts";
import { GRAPH_ANSWER, graphQuery } from "../../graph/graph-operation.ts";
import {
  addedToGraph,
  applyGraphEvent,
  GRAPH_EVENTS,
  graphOfRun,
  noGraphProgress,
  type GraphEvent,
} from "../../wire/node-states.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost, Subject } from "../../parts/part.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { findSubject, subjectsOf } from "../../parts/subjects.ts";
import type { Run } from "../../runtime/run.ts";

/** `GET /runs/{id}/graph`. */
export function runGraphOperations(host: PartHost): readonly Operation[] {
  const { runs, parts, definitions, clock } = host;
  const subjects = subjectsOf(parts);

  /** Returns the subject of the run: its own stored definition, or else the present subject of its name. */
  async function subjectOf(tenant: string, run: Run): Promise<Subject> {
    const read = subjects.get(run.kind)?.read;
    const own = read && (await runs.definition(tenant, run.id));
    if (read !== undefined && own !== undefined) return read(run.name, own);
    return findSubject({ subjects, definitions }, tenant, { kind: run.kind, name: run.name });
  }

  /** A fork has no events of the steps it took over. */
  async function withCopies(tenant: string, run: Run, graph: Graph): Promise<Graph> {
    if (run.origin === undefined) return graph;
    const { runId } = run.origin;
    const done = await runs.checkpoints(tenant, run.id);
    const copied = new Set(done.filter(({ branch }) => branch === runId).map(({ key }) => key));
    return {
      ...graph,
      nodes: graph.nodes.map((node) =>
        node.key !== undefined && copied.has(node.key) ? { ...node, copied: true } : node,
      ),
    };
  }

  return [
    operation({
      id: "runGraph",
      sample: { run: { id: "example-run" } },
      method: "get",
      path: "/runs/{id}/graph",
      group: "Runs",
      scope: "read",
      summary: "Show a run as a graph",
      description:
        "The graph of what it runs, with the state of each node. Delegated work and what else it started are nodes, too.",
      query: graphQuery,
      answers: GRAPH_ANSWER,
      problems: [400, 404],
      handle: async ({ tenant, params, query }) => {
        const id = runIdIn(params);
        const run = await runs.get(tenant, id);
        const subject = await subjectOf(tenant, run);
        if (subject.graph === undefined)
          throw new EngineError("not_found", `runs of kind ${run.kind} have no graph`);
        const graph = await withCopies(tenant, run, await subject.graph({ layout: "0" }));
        const progress = noGraphProgress(graph);
        const url = `https://run/runs/${id}/events?follow=0&types=${GRAPH_EVENTS.join(",")}`;
        const { body } = await runs.events(tenant, id, new Request(url));
        await readEvents(body, (event) => applyGraphEvent(progress, event));
        const json = graphOfRun(graph, progress, clock.now());
        if (query.layout === "0") return { status: 200, json };
        const laidOut = await subject.graph({ ...query, added: addedToGraph(graph, progress) });
        return { status: 200, json: withPlaces(json, laidOut) };
      },
    }),
  ];
}

/** Gives the graph of a run the places of the same graph without states. */
function withPlaces(graph: Graph, laidOut: Graph): Graph {
  return {
    ...laidOut,
    nodes: withFacts(laidOut.nodes, graph.nodes),
    edges: withFacts(laidOut.edges, graph.edges),
  };
}

function withFacts<Each extends { readonly id: string }>(
  places: readonly Each[],
  facts: readonly Each[],
): readonly Each[] {
  const byId = new Map(facts.map((each) => [each.id, each]));
  return places.map((each) => ({ ...each, ...byId.get(each.id) }));
}

async function readEvents(
  body: ReadableStream<Uint8Array> | null,
  each: (event: GraphEvent) => void,
): Promise<void> {
  const parse = eventStreamParser();
  const decoder = new TextDecoder();
  for await (const chunk of body ?? [])
    for (const { data } of parse(decoder.decode(chunk, { stream: true })))
      each(JSON.parse(data) as GraphEvent);
}
