// Agents of other frameworks, doing work in the place of one of ours.
//
//   AA1. What the foreign agent does is one step of the journal: cut off by a crash, it is done again.
//   AA2. Our tools stay ours: each call is a step of its own. When the work is done again, a call with the same arguments
//        gets the recorded result.
import { fingerprint } from "../base/hash.ts";
import type { JsonObject } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import { NO_USAGE, type Usage } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import { callTool } from "../tools/call-tool.ts";
import { toolBox } from "../tools/tool-box.ts";
import type { Message } from "../llm/language-model.ts";
import { runAgentLoop, type Rounds } from "./agent-loop.ts";
import type { AgentWork } from "./agent-work.ts";
import { firstMessages } from "./first-messages.ts";
import { fill } from "./prompts.ts";
import { notifyStep } from "./tool-round.ts";

/** A tool as a foreign agent gets it. */
export type AdapterTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
  /** Answers with text for the model, also when the tool failed. */
  readonly call: (input: JsonObject) => Promise<string>;
};

export type AdapterRequest<Tools, Output> = {
  /** Who the agent is, as our own agents are told. */
  readonly system: string;
  readonly prompt: string;
  /** What `configureTools` gave. */
  readonly tools: Tools;
  /** What `configureStructuredOutput` gave; undefined where plain text is wanted. */
  readonly output: Output | undefined;
  /** The limit of the agent's model calls. */
  readonly maxIter: number;
  readonly signal: AbortSignal;
  /** The same each time this work is done again. */
  readonly idempotencyKey: string;
};

export type AdapterAnswer = {
  readonly text: string;
  /** What the foreign agent's model calls consumed, as far as it knows. */
  readonly usage?: Partial<Usage>;
};

/**
 * Lets an agent of another framework (the AI SDK, OpenAI Agents, LangGraph) do tasks. Holds no state of any run: what the
 * two `configure` functions make is handed back to `execute`.
 */
export interface AgentAdapter<Tools = unknown, Output = unknown> {
  /** Puts our tools into the form of the framework. */
  configureTools(tools: readonly AdapterTool[]): Tools;
  /** Puts a JSON Schema for the answer into the form of the framework. The answer is checked against it afterwards. */
  configureStructuredOutput(schema: JsonObject): Output;
  /** Does the work. May be called again for the same work, with the same key, after a crash. */
  execute(request: AdapterRequest<Tools, Output>): Promise<AdapterAnswer>;
}

export async function runAdapter(
  scope: RunScope,
  work: AgentWork,
  rounds: Rounds,
): Promise<string> {
  const { agent, identity, prompts } = work;
  const { adapter } = agent;
  if (adapter === undefined) return runAgentLoop(scope, work, rounds);
  const head = fill(prompts.slices.rolePlaying, identity);
  let messages: readonly Message[] =
    rounds.messages ?? firstMessages(scope, work, { head, instructions: "", user: work.prompt });
  for (;;) {
    const { round } = rounds;
    const place = round === 1 ? scope : scope.at(`revision:${round - 1}`);
    const answer = await execute(place, { work, adapter, messages });
    const message = await work.review?.({ scope, answer, round });
    if (message === undefined) {
      await notifyStep(scope.at("step-callback"), work, {
        kind: "finish",
        agentRole: identity.role,
        output: answer,
      });
      return answer;
    }
    messages = [
      ...messages,
      { role: "assistant", content: answer },
      { role: "user", content: message },
    ];
    rounds.messages = messages;
    rounds.round++;
  }
}

async function execute(
  scope: RunScope,
  {
    work,
    adapter,
    messages,
  }: { work: AgentWork; adapter: AgentAdapter; messages: readonly Message[] },
): Promise<string> {
  const { agent, answerSchema, deadlineAtMs } = work;
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const rest = messages.filter(({ role }) => role !== "system").map(({ content }) => content);
  const answer = await scope.at("adapter").step<{ text: string; usage: Usage }>({
    kind: "effect",
    retry: NO_RETRY,
    deadlineAtMs,
    usage: ({ usage }) => usage,
    run: async ({ signal, idempotencyKey }, inside) => {
      const output =
        answerSchema === undefined ? undefined : adapter.configureStructuredOutput(answerSchema);
      const { text, usage } = await inside.run(() =>
        adapter.execute({
          system: system.join("\n\n"),
          prompt: rest.join("\n\n"),
          tools: adapter.configureTools(adapterTools(inside, work)),
          output,
          maxIter: agent.maxIter,
          signal,
          idempotencyKey,
        }),
      );
      return { text, usage: { ...NO_USAGE, ...usage } };
    },
  });
  work.meter.add(answer.usage);
  return answer.text;
}

function adapterTools(scope: RunScope, work: AgentWork): readonly AdapterTool[] {
  const { identity, cache, deadlineAtMs, prompts } = work;
  const box = toolBox(work.tools);
  return box.specs.map((spec) => ({
    ...spec,
    call: async (input) => {
      const tool = box.find(spec.name);
      if (tool === undefined) return "";
      // The arguments are part of the key: a foreign agent may take another way when it does the work again.
      const place = scope.atNext(`tool:${spec.name}:${fingerprint(JSON.stringify(input))}`);
      const agentRole = identity.role;
      const outcome = await callTool(place, { tool, input, agentRole, cache, deadlineAtMs });
      if (outcome.kind === "result") return outcome.text;
      return fill(prompts.errors.toolUsageException, {
        tool: spec.name,
        error: outcome.error.message,
        tool_inputs: JSON.stringify(spec.parameters),
      });
    },
  }));
}
