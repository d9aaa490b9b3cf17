import type { Graph } from "../graph/graph.ts";
import { inLanes } from "../graph/in-lanes.ts";
import { EngineError } from "../base/error.ts";
import { fileEvents } from "../files/events.ts";
import { hookEvents } from "../hooks/events.ts";
import { knowledgeEvents } from "../knowledge/events.ts";
import { memoryEvents } from "../memory/events.ts";
import type { Part } from "../parts/part.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import { requireInputs } from "../parts/required-inputs.ts";
import { toolEvents } from "../tools/events.ts";
import type { Agent } from "./description/agent.ts";
import { settingsOf } from "./settings-of-agent.ts";
import { agentInfo } from "./agent-info.ts";
import { agentEvents } from "./events.ts";
import { agentOperations, agentShapes } from "./operations/agents.ts";
import { agentRun } from "./operations/run-shapes.ts";
import { checkMessages } from "./run-agent.ts";

/** Part of a Worker for agents outside crews. */
export function agentPart(registered: Versioned<Agent>): Part {
  const versions = new VersionedDefinitions(registered);
  const agents = versions.current;
  const find = (name: string): Agent | undefined =>
    Object.hasOwn(agents, name) ? agents[name] : undefined;
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
      },
    },
    subjects: {
      agent: {
        names: () => Object.keys(agents),
        get: (name) => {
          const agent = find(name);
          if (agent === undefined) return undefined;
          const { placeholders } = agent;
          return {
            about: () => agentInfo(agent),
            requiredInputs: placeholders,
            messagesInput: "messages",
            answerSettings: (models) => settingsOf(agent, agent.llm, models),
            graph: (query) => inLanes(graphOfAgent(name, agent), query),
            start: ({ messages, ...inputs }) => {
              checkMessages(messages);
              requireInputs({ names: placeholders, of: "agent" }, inputs);
              return { kind: "agent", name, inputs: { messages, inputs } };
            },
          };
        },
      },
    },
    bind: (host) => ({ operations: agentOperations(agents, host), shapes: agentShapes }),
  };
}

/** Graph with one node, the agent. */
function graphOfAgent(name: string, { role }: Agent): Graph {
  const node = { id: "agent", kind: "agent", label: role, start: true } as const;
  return { kind: "agent", name, groups: [], nodes: [node], edges: [], warnings: [] };
}
