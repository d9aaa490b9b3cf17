import type { Graph } from "../wire/graph.ts";
import { inLanes } from "../graph/in-lanes.ts";
import { EngineError } from "../base/error.ts";
import { fileEvents } from "../files/events.ts";
import { hookEvents } from "../hooks/events.ts";
import { knowledgeEvents } from "../knowledge/events.ts";
import { memoryEvents } from "../memory/events.ts";
import type { Part, Subject } from "../parts/part.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import { wayOperations } from "../starts/start-way.ts";
import { toolEvents } from "../tools/events.ts";
import type { Agent } from "./description/agent.ts";
import { settingsOf } from "./settings-of-agent.ts";
import { agentInfo } from "./agent-info.ts";
import { agentEvents } from "./events.ts";
import { agentOperations } from "./operations/agents.ts";
import { agentRun } from "./operations/run-shapes.ts";
import { agentStart, agentWays, withFiles } from "./operations/agent-ways.ts";

/** Part of a Worker for agents outside crews. */
export function agentPart(registered: Versioned<Agent>): Part {
  const versions = new VersionedDefinitions(registered);
  const agents = versions.current;
  const ways = agentWays(agents);
  return {
    name: "agents",
    docs: "agents.md",
    // An agent can bring its own memory or knowledge into a Worker without a part for them.
    events: [
      ...agentEvents,
      ...fileEvents,
      ...toolEvents,
      ...hookEvents,
      ...memoryEvents,
      ...knowledgeEvents,
    ],
    kinds: {
      agent: {
        schemas: agentRun,
        version: ({ name }) => versions.currentVersion(name),
        program: (start) => {
          const agent = versions.find(start);
          if (agent !== undefined) return agent.program();
          throw new EngineError(
            "not_found",
            `agent "${start.name}" is not registered in this deployment any more`,
          );
        },
        ways,
        subjects: {
          names: () => Object.keys(agents),
          get: (name) => {
            const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
            return agent === undefined ? undefined : subjectOf(name, agent);
          },
        },
      },
    },
    bind: (host) => ({
      operations: [...agentOperations(agents), ...wayOperations(ways, host)],
    }),
  };
}

function subjectOf(name: string, agent: Agent): Subject {
  return {
    about: () => agentInfo(agent),
    requiredInputs: agent.placeholders,
    messagesInput: "messages",
    answerSettings: (models) => settingsOf(agent, agent.llm, models),
    graph: (query) => inLanes(graphOfAgent(name, agent), query),
    start: ({ messages, ...inputs }, files) =>
      withFiles(agentStart([name, agent], { messages, inputs }), files),
  };
}

/** Graph with one node, the agent. */
function graphOfAgent(name: string, { role }: Agent): Graph {
  const node = { id: "agent", kind: "agent", label: role, start: true } as const;
  return { kind: "agent", name, groups: [], nodes: [node], edges: [], warnings: [] };
}
