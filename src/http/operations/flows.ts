import { pageQuery } from "../schemas.ts";
import { finished, started, type Operation } from "./operation.ts";

export const flowOperations: readonly Operation[] = [
  {
    id: "listFlows",
    method: "get",
    path: "/flows",
    group: "Flows",
    scope: "read",
    summary: "List flows",
    description: "Those of the deployed code first, then stored ones, each by name.",
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
    answers: { 200: { description: "The flow", shape: "FlowDetails" } },
    problems: [404],
  },
  {
    id: "putFlow",
    method: "put",
    path: "/flows/{name}",
    group: "Flows",
    scope: "admin",
    summary: "Store a flow",
    description:
      'A declaration (`crewai.flow/v1`) as JSON or YAML, or the files of a project: `{ "files": { "flow.yaml": "…", "crews/research.jsonc": "…" } }`. It runs at once; runs under way keep the declaration they were started with. Tools, functions, schemas and crews are named from the registry. 409 where the app takes no flows as data.',
    body: { name: "FlowDefinition", required: true, yaml: true },
    answers: {
      200: { description: "Replaced", shape: "FlowDetails" },
      201: { description: "New", shape: "FlowDetails" },
    },
    problems: [400, 409, 413, 415],
    example: {
      schema: "crewai.flow/v1",
      name: "Triage",
      methods: {
        sort: {
          start: true,
          router: true,
          emit: ["urgent", "later"],
          do: { call: "expression", expr: "state.mail.contains('outage') ? 'urgent' : 'later'" },
        },
        page: {
          listen: "urgent",
          do: { call: "expression", expr: "'Paged: ' + state.mail" },
        },
      },
    },
  },
  {
    id: "deleteFlow",
    method: "delete",
    path: "/flows/{name}",
    group: "Flows",
    scope: "admin",
    summary: "Delete a stored flow",
    description: "Its runs stay, and those under way go on.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
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
