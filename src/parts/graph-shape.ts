// The shape of graphs.
import * as z from "zod";
import { shapeOf } from "./shape.ts";
import type { Graph } from "../wire/graph.ts";

const place = () => ({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
});
const flag = () => z.literal(true).optional();
const state = () =>
  z.strictObject({
    state: z.enum([
      "idle",
      "running",
      "waiting",
      "sleeping",
      "done",
      "failed",
      "skipped",
      "stopped",
    ]),
    count: z.number().describe("Executions that have begun; of a speaker, messages"),
    durationMs: z.number(),
    costUsd: z.number().optional(),
    waits: z.array(z.string()).optional().describe("Keys of the open waits"),
    error: z.string().optional(),
  });
const node = () =>
  z.strictObject({
    id: z.string(),
    kind: z.enum([
      "task",
      "agent",
      "manager",
      "method",
      "label",
      "join",
      "speaker",
      "human",
      "end",
    ]),
    label: z.string(),
    sub: z.string().optional().describe("A second line"),
    group: z.string().optional(),
    key: z.string().optional().describe("Key of its step"),
    start: flag(),
    router: flag(),
    conditional: flag(),
    async: flag(),
    human: flag(),
    copied: flag().describe("In a fork: done in the original run"),
    state: state().optional().describe("Of a run"),
    ...place(),
  });
const edge = () =>
  z.strictObject({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    kind: z.enum(["fed", "next", "listens", "routes", "all", "any", "hands-off", "delegates"]),
    label: z.string().optional(),
    back: flag().describe("True for an edge that leads back"),
    path: z.string().optional().describe("The `d` of an SVG path"),
    count: z.number().optional().describe("Number of times the run has taken it"),
  });
export const graphShape = shapeOf<Graph>()("Graph", () =>
  z.strictObject({
    kind: z.string(),
    name: z.string(),
    size: z.strictObject({ width: z.number(), height: z.number() }).optional(),
    groups: z.array(z.strictObject({ id: z.string(), label: z.string(), ...place() })),
    nodes: z.array(node()),
    edges: z.array(edge()),
    warnings: z.array(z.string()),
  }),
);
