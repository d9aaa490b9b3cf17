import { Hono } from "hono/tiny";
import type { Agent } from "../agent/agent.ts";
import { checkMessages } from "../agent/run-agent.ts";
import { EngineError } from "../base/error.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";
import { requireInputs, startRun } from "./kickoff.ts";
import { query } from "./query.ts";
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
    const { cursor, limit } = c.req.valid("query");
    const { agents: registered = {} } = c.var.services;
    const after = keyOfCursor(cursor) ?? "";
    const names = Object.keys(registered)
      .filter((name) => name > after)
      .toSorted();
    const items = names
      .slice(0, limit)
      .map((name) => agentView(name, findAgent(c.var.services, name)));
    return c.json<Page<AgentView>>(
      names.length > limit
        ? { items, nextCursor: cursorAfter(items.at(-1)?.name ?? "") }
        : { items },
    );
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
  const agent = Object.hasOwn(registered, name) ? registered[name] : undefined;
  if (agent === undefined) throw new EngineError("not_found", `there is no agent "${name}"`);
  return agent;
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
