// An agent at work on its own, with its memory and its knowledge.
import type { RunScope } from "../events/run-scope.ts";
import { textOfContent } from "../llm/content.ts";
import {
  informedPrompt,
  knowledgeKitOf,
  memoryGiven,
  memoryKitOf,
  shelvesWith,
  withMemoryTools,
  type AgentSources,
} from "./agent-sources.ts";
import type { AgentWork } from "./agent-work.ts";
import type { AgentMessage } from "./run-agent.ts";

/** Matches that are told before it answers. */
const RECALL_LIMIT = 20;

/** The work with what the agent knows on what was said, and how to save what came of it. */
export async function knowing(
  scope: RunScope,
  work: AgentWork,
  said: readonly AgentMessage[],
): Promise<{ readonly work: AgentWork; readonly save: (answer: string) => Promise<void> }> {
  const { agent, identity } = work;
  const label = `agent "${agent.role}"`;
  const sources = await sourcesOf(scope, work, label);
  const query = said.map(({ content }) => textOfContent(content)).join("\n");
  const prompt = await informedPrompt(scope, work, { sources, query, limit: RECALL_LIMIT });
  return {
    work: { ...work, prompt, tools: withMemoryTools(work.tools, sources, work) },
    save: async (output) => {
      const { memory } = sources;
      memory?.save(scope.at("remember"), work, { description: query, role: identity.role, output });
      await memory?.drain();
    },
  };
}

async function sourcesOf(
  scope: RunScope,
  { agent }: AgentWork,
  label: string,
): Promise<AgentSources> {
  const { role, llm, embedder, knowledgeConfig } = agent;
  const view = memoryGiven(scope, agent.memory, { label, path: ["agent", role], llm, embedder });
  const memory = view === undefined ? undefined : memoryKitOf(view).open(view);
  const owner = { label, collection: `agent/${role}`, given: agent };
  const kit = knowledgeKitOf(scope, owner);
  const rewrite = knowledgeConfig?.rewrite ?? true;
  if (kit === undefined) return { memory, knowledge: [], rewrite };
  const shelves = kit.open(scope, owner);
  await scope.at("index").group("group", async (inside) => {
    for (const shelf of shelves) await shelf.index(inside);
    return null;
  });
  return { memory, kit, rewrite, knowledge: [shelvesWith(shelves, knowledgeConfig)] };
}
