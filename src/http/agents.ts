import { Hono } from "hono/tiny";
import type { Agent } from "../agent/agent.ts";
import { checkMessages } from "../agent/run-agent.ts";
import { requireInputs } from "../crew/required-inputs.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { startRun } from "./kickoff.ts";
import { query } from "./query.ts";
import { findRegistered, pageOf } from "./registered.ts";
import { body } from "./request-body.ts";
import { agentKickoffBody, pageQuery } from "./schemas.ts";
import type { AppServices, HttpEnv } from "./services.ts";

/** An agent as the API shows it. `inputs` are those that a run has to give. */
export type AgentView = {
  readonly name: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly tools: readonly string[];
  /** Whether it plans before it works. */
  readonly plans: boolean;
  readonly inputs: readonly string[];
};

export const agents = new Hono<HttpEnv>()
  .get("/", allow("read"), query(pageQuery), (c) => {
    const { agents: registered = {} } = c.var.services;
    return c.json<Page<AgentView>>(pageOf(registered, c.req.valid("query"), agentView));
  })
  .get("/:name", allow("read"), (c) => {
    const name = c.req.param("name");
    return c.json<AgentView>(agentView(name, findAgent(c.var.services, name)));
  })
  .post("/:name/kickoff", allow("run"), body(agentKickoffBody), async (c) => {
    const name = c.req.param("name");
    const { messages, inputs = {}, id, meta } = c.req.valid("json");
    const agent = findAgent(c.var.services, name);
    checkMessages(messages);
    requireInputs({ names: agent.placeholders, of: "agent" }, inputs);
    return startRun(c, id, {
      kind: "agent",
      name,
      inputs: { messages, inputs },
      ...(meta === undefined ? undefined : { meta }),
    });
  });

function findAgent({ agents: registered = {} }: AppServices, name: string): Agent {
  return findRegistered(registered, name, "agent");
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
  };
}
