import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import { findRegistered, pageOfRegistered } from "../../parts/registered.ts";
import { pageQuery } from "../../parts/schemas.ts";
import { textInputSchema } from "../../parts/subject-info.ts";
import type { Agent } from "../description/agent.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";
import { objectOf } from "../../parts/shapes.ts";

export const agentShape = shape("Agent", () =>
  z.strictObject({
    name: z.string(),
    role: z.string(),
    goal: z.string(),
    backstory: z.string(),
    tools: z.array(z.string()),
    plans: z.boolean().describe("Whether it plans before it works"),
    inputs: z.array(z.string()).describe("What a run needs"),
    inputSchema: objectOf().describe("JSON Schema of `inputs`"),
  }),
);

/** An agent in the API. `inputs` are the required inputs of a run. */
export type AgentView = ViewOf<typeof agentShape>;

/** `/agents`: agents of the deployed code. */
export function agentOperations(agents: Readonly<Record<string, Agent>>): readonly Operation[] {
  const shared = { group: "Agents", subject: "agent" } as const;
  const find = (name: string): Agent => findRegistered(agents, name, "agent");
  return [
    operation({
      ...shared,
      id: "listAgents",
      method: "get",
      path: "/agents",
      scope: "read",
      summary: "List agents",
      description: "Agents of the deployed code that work on their own, by name.",
      query: pageQuery,
      answers: { 200: { description: "A page of agents", list: agentShape } },
      problems: [400],
      handle: ({ query }) => ({ status: 200, json: pageOfRegistered(agents, query, agentView) }),
    }),
    operation({
      ...shared,
      id: "getAgent",
      method: "get",
      path: "/agents/{name}",
      scope: "read",
      summary: "Show an agent",
      answers: { 200: { description: "The agent", shape: agentShape } },
      problems: [404],
      handle: ({ params: { name = "" } }) => ({ status: 200, json: agentView(name, find(name)) }),
    }),
  ];
}

function agentView(name: string, agent: Agent): AgentView {
  const { role, goal, backstory, tools, planningConfig } = agent;
  return {
    name,
    role,
    goal,
    backstory,
    tools: tools.map(({ safeName }) => safeName),
    plans: planningConfig !== undefined,
    inputs: agent.placeholders,
    inputSchema: textInputSchema(agent.placeholders),
  };
}
