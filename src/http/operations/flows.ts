import { pageQuery, plotQuery } from "../schemas.ts";
import { finished, plot, started, type Operation } from "./operation.ts";

export const flowOperations: readonly Operation[] = [
  {
    id: "listFlows",
    method: "get",
    path: "/flows",
    group: "Flows",
    scope: "read",
    summary: "List flows",
    description: "Flows of the deployed code, by name.",
    query: pageQuery,
    answers: { 200: { description: "A page of flows", shape: "Flow", list: true } },
    problems: [400],
  },
  {
    id: "getFlow",
    method: "get",
    path: "/flows/{name}",
    group: "Flows",
    scope: "read",
    summary: "Show a flow",
    answers: { 200: { description: "The flow", shape: "Flow" } },
    problems: [404],
  },
  {
    id: "plotFlow",
    method: "get",
    path: "/flows/{name}/plot",
    group: "Flows",
    scope: "read",
    summary: "Draw a flow",
    description:
      "A page, an SVG, Mermaid's text, or the structure as JSON: as `format` says, else as `Accept` does.",
    query: plotQuery,
    answers: { 200: plot },
    problems: [400, 404],
  },
  {
    id: "kickoffFlow",
    method: "post",
    path: "/flows/{name}/kickoff",
    group: "Flows",
    scope: "run",
    summary: "Start a flow",
    description:
      "Its inputs are put into its state. With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run, whose output is `{ value, state }`.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Kickoff", required: false },
    answers: { 200: finished, 202: started },
    problems: [400, 404, 413, 415],
    example: { inputs: { ticket: "The site is down" } },
  },
];
