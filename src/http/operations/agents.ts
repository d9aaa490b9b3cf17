import { pageQuery } from "../schemas.ts";
import { started, finished, type Operation } from "./operation.ts";

export const agentOperations: readonly Operation[] = [
  {
    id: "listAgents",
    method: "get",
    path: "/agents",
    group: "Agents",
    scope: "read",
    summary: "List agents",
    description: "Agents of the deployed code that work on their own, by name.",
    query: pageQuery,
    answers: { 200: { description: "A page of agents", shape: "Agent", list: true } },
    problems: [400],
  },
  {
    id: "getAgent",
    method: "get",
    path: "/agents/{name}",
    group: "Agents",
    scope: "read",
    summary: "Show an agent",
    answers: { 200: { description: "The agent", shape: "Agent" } },
    problems: [404],
  },
  {
    id: "kickoffAgent",
    method: "post",
    path: "/agents/{name}/kickoff",
    group: "Agents",
    scope: "run",
    summary: "Ask an agent",
    description:
      "With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "AgentKickoff", required: true },
    answers: { 200: finished, 202: started },
    problems: [400, 404, 413, 415],
    example: { messages: "What is new in edge computing?" },
  },
];
