// Work of agents of other frameworks, in place of an agent's own model.
//
//   AA1. The work of the foreign agent is one step of the journal. After a crash it runs again.
//   AA2. Edgecrew's tools keep their hooks, approvals, limits and failure policies: each call is its own step. When the
//        work runs again, a call with the same arguments gets the recorded result.
//   AA3. A fatal tool failure or hook ends the work even if the foreign agent ignores the error of its call.
import { fingerprint } from "../../base/hash.ts";
import { NO_RETRY } from "../../base/retry.ts";
import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { inlineParts } from "../../files/inline-parts.ts";
import { textOfContent } from "../../llm/content.ts";
import type { Message } from "../../llm/language-model.ts";
import { toolBox } from "../../tools/tool-box.ts";
import { WorkCounters, type WorkCounts } from "../work-counters.ts";
import { failuresField, ToolFailureLog, type ToolFailureRecord } from "../../tools/tool-failure.ts";
import { runAgentLoop } from "./agent-loop.ts";
import { beginRound, type ReviewProgress } from "./review-progress.ts";
import { readAnswer } from "./read-answer.ts";
import { withoutThoughts } from "../../model-calls/thoughts.ts";
import type { AgentWork } from "../agent-work.ts";
import { firstMessages } from "../prompts/first-messages.ts";
import { fill } from "../prompts/prompts.ts";
import { notifyStep } from "./step-callback.ts";
import { namingImages } from "./tool-images.ts";
import { ToolRunner } from "./tool-round.ts";
import type { AdapterTool, AgentAdapter } from "../description/agent-adapter.ts";

type Recorded = {
  readonly text: string;
  readonly usage: Usage;
  readonly usageOfRun?: Usage;
  readonly toolFailures?: readonly ToolFailureRecord[];
  readonly tally: WorkCounts;
};

export async function runAdapter(
  scope: RunScope,
  work: AgentWork,
  progress: ReviewProgress,
): Promise<string> {
  const { agent, identity, prompts } = work;
  const { adapter } = agent;
  if (adapter === undefined) return runAgentLoop(scope, work, progress);
  const head = fill(prompts.slices.rolePlaying, identity);
  let messages: readonly Message[] =
    progress.messages ?? firstMessages(scope, work, { head, instructions: "", user: work.prompt });
  for (;;) {
    const { round } = progress;
    const place = round === 1 ? scope : scope.at(`revision:${round - 1}`);
    let said: string;
    try {
      said = await execute(place, { work, adapter, messages });
    } catch (error) {
      // From the record: in a replay, neither a failed step nor its calls run again.
      progress.hasActed = place.at("adapter").finishedBelow.some(isToolCall);
      throw error;
    }
    const { observation: marker } = prompts.slices;
    const answer = readAnswer(withoutThoughts(said), { form: "none", marker });
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
    beginRound(progress, work, messages);
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
  const system = messages.filter(({ role }) => role === "system").map(textOf);
  const rest = messages.filter(({ role }) => role !== "system").map(textOf);
  const attachments = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(({ type }) => type !== "text"),
  );
  const answer = await scope.at("adapter").step<Recorded>({
    kind: "effect",
    retry: NO_RETRY,
    deadlineAtMs,
    usage: ({ usage }) => usage,
    run: async ({ signal, idempotencyKey }, inside) => {
      const output =
        answerSchema === undefined ? undefined : adapter.configureStructuredOutput(answerSchema);
      const tools = new AdapterTools(inside, work);
      const contents = await inlineParts(inside, attachments);
      const { text, usage, usageOfRun } = await tools.endOf(
        inside.run(() =>
          adapter.execute({
            system: system.join("\n\n"),
            prompt: rest.join("\n\n"),
            attachments: contents,
            tools: adapter.configureTools(tools.list),
            output,
            maxIter: agent.maxIter,
            signal,
            idempotencyKey,
          }),
        ),
      );
      const done = { text, usage: { ...NO_USAGE, ...usage }, tally: tools.counters.counts };
      const ofRun = usageOfRun === undefined ? undefined : { usageOfRun };
      return { ...done, ...ofRun, ...failuresField(tools.failures.records) };
    },
  });
  work.meter.add(addUsage(answer.usage, answer.usageOfRun ?? NO_USAGE));
  work.counters?.include(answer.tally);
  for (const failure of answer.toolFailures ?? []) work.failures?.add(failure);
  return answer.text;
}

function isToolCall(segment: string): boolean {
  return segment.startsWith("tool:");
}

function textOf({ content }: Message): string {
  return textOfContent(content);
}

/** Our tools, as one execution of a foreign agent has them. */
class AdapterTools {
  readonly list: readonly AdapterTool[];
  /** Failures of this execution. They are recorded with its answer, because replay does not repeat its calls. */
  readonly failures = new ToolFailureLog();
  readonly counters = new WorkCounters();
  /** Error that ends the work, even if the foreign agent continues after it. */
  #end: { readonly error: unknown } | undefined;

  constructor(scope: RunScope, work: AgentWork) {
    const box = toolBox(work.tools);
    const { failures, counters } = this;
    const own = { ...work, failures, counters, toolUses: new Map() };
    const runner = new ToolRunner(own, box);
    this.list = box.specs.map((spec) => ({
      ...spec,
      call: async (input) => {
        const text = JSON.stringify(input);
        // The arguments are part of the key: a foreign agent may take another way when it does the work again.
        const label = `${spec.name}:${fingerprint(text)}`;
        try {
          const call = { name: spec.name, arguments: text };
          const reply = await runner.runForeign(scope, label, call);
          return namingImages(reply.text, reply.images, work.prompts);
        } catch (error) {
          this.#end ??= { error };
          throw error;
        }
      },
    }));
  }

  /** Returns the result of the execution, unless a tool's failure or a hook has ended the work. */
  async endOf<T>(execution: Promise<T>): Promise<T> {
    try {
      return await execution;
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- replaces the foreign agent's own result or error
      if (this.#end !== undefined) throw this.#end.error;
    }
  }
}
