// A crew's tasks, one after another, as durable steps.
//
//   CR1. A task without `context` gets the outputs of all tasks before it; an asynchronous one that of the last
//        synchronous task. A list gives the outputs of its tasks.
//   CR2. Asynchronous tasks are gathered before the next synchronous one, in the order of their start; the first that
//        failed fails the crew.
//   CR3. A finished task replays as one row, and its callback is called once.
//   CR4. The crew's answer is the last output that is not empty; a crew without one fails.
//   CR5. Inputs are put into all texts, and all models are found, before the first task starts.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { UsageMeter } from "../agent/model-call.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { outputShape, toStructured } from "../agent/structured-output.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { cut } from "../tools/call-tool.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import type { CrewOptions } from "./crew-options.ts";
import { checkInputs, interpolate } from "./interpolate.ts";
import {
  joinContext,
  summaryOf,
  typedOutput,
  type CrewOutput,
  type CrewRecord,
  type TaskRecord,
} from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
import type { Task } from "./task.ts";

/** What of a crew a run needs. */
export type RunnableCrew = {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly taskKeys: readonly string[];
  readonly prompts: Prompts;
  readonly options: CrewOptions;
};

/** Longer texts are kept whole in the journal and cut where events show them. */
const MAX_EVENT_TEXT = 16_384;

/** Runs a crew at `scope`; answers its output as JSON can hold it. */
export async function runCrew(
  scope: RunScope,
  crew: RunnableCrew,
  givenInputs: JsonObject,
): Promise<CrewRecord> {
  const { beforeKickoff = [], afterKickoff = [] } = crew.options;
  const inputs = await callEach(scope.at("before-kickoff"), beforeKickoff, {
    first: { ...crew.options.inputs, ...givenInputs },
    check: checkInputs,
  });
  const inner = scope.open("crew_kickoff_started", { crewName: crew.name, inputs });
  try {
    const output = crewOutput(crew.name, await new CrewRun(inner, crew, inputs).run());
    const record = await callEach(inner.at("after-kickoff"), afterKickoff, {
      first: output,
      check: checkOutput,
    });
    scope.emit("crew_kickoff_completed", {
      crewName: crew.name,
      output: cut(record.raw, MAX_EVENT_TEXT),
      totalTokens: record.usage.totalTokens,
    });
    return record as CrewRecord;
  } catch (error) {
    scope.emit("crew_kickoff_failed", { crewName: crew.name, error: errorMessage(error) });
    throw error;
  }
}

function crewOutput(crewName: string, tasks: readonly TaskRecord[]): CrewOutput {
  const last = tasks.findLast((output) => output.raw !== "");
  if (last === undefined)
    throw new EngineError(
      "output_invalid",
      `crew "${crewName}" ended without an output: all its tasks gave empty texts`,
    );
  const usage = tasks.reduce((sum, output) => addUsage(sum, output.usage), NO_USAGE);
  const object = last.object === undefined ? undefined : { object: last.object };
  return { raw: last.raw, ...object, tasks, usage };
}

/** A task with the run's inputs in its texts. */
type PreparedTask = {
  readonly task: Task;
  readonly key: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};

class CrewRun {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #inputs: JsonObject;
  readonly #cache: ToolCache | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #ownLimiters = new Map<Agent, RateLimiter>();
  readonly #outputs: TaskRecord[] = [];
  readonly #byTask = new Map<Task, TaskRecord>();
  #pending: Array<{ readonly task: Task; readonly output: Promise<TaskRecord> }> = [];
  #lastSync: TaskRecord | undefined;

  constructor(scope: RunScope, crew: RunnableCrew, inputs: JsonObject) {
    this.#scope = scope;
    this.#crew = crew;
    this.#inputs = inputs;
    this.#cache = crew.options.cache === true ? new ToolCache() : undefined;
    this.#limiter =
      crew.options.maxRpm === undefined ? undefined : new RateLimiter(crew.options.maxRpm);
  }

  async run(): Promise<readonly TaskRecord[]> {
    const prepared = this.#crew.tasks.map((task, index) =>
      this.#prepare(task, this.#crew.taskKeys[index] ?? `task:${index}`),
    );
    for (const each of prepared) {
      const { task } = each;
      if (task.asyncExecution) {
        const output = this.#runTask(each, this.#contextOfAsync(task));
        output.catch(() => undefined); // gathered later; until then nobody looks
        this.#pending.push({ task, output });
        continue;
      }
      await this.#gather();
      this.#lastSync = this.#keep(
        task,
        await this.#runTask(each, joinContext(this.#listed(task) ?? this.#outputs)),
      );
    }
    await this.#gather();
    return this.#outputs;
  }

  async #gather(): Promise<void> {
    for (const { task, output } of this.#pending) this.#keep(task, await output);
    this.#pending = [];
  }

  #keep(task: Task, output: TaskRecord): TaskRecord {
    this.#outputs.push(output);
    this.#byTask.set(task, output);
    return output;
  }

  #contextOfAsync(task: Task): string {
    return joinContext(
      this.#listed(task) ?? (this.#lastSync === undefined ? [] : [this.#lastSync]),
    );
  }

  #listed(task: Task): TaskRecord[] | undefined {
    return task.context?.flatMap((other) => this.#byTask.get(other) ?? []);
  }

  #prepare(task: Task, key: string): PreparedTask {
    const { agent, label } = task;
    if (agent === undefined)
      throw new EngineError("invalid_definition", `task "${label}" has no agent`);
    return {
      task,
      key,
      description: this.#fill(task.description, `the description of task "${label}"`),
      expectedOutput: this.#fill(task.expectedOutput, `the expectedOutput of task "${label}"`),
      agent,
      identity: this.#identity(agent),
      model: this.#scope.model(agent.llm),
    };
  }

  #runTask(prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, identity } = prepared;
    return this.#scope.at(prepared.key).group("task", async (place) => {
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", { ...named, context: cut(context, MAX_EVENT_TEXT) });
      try {
        const output = await this.#perform(inner, prepared, context);
        await this.#notify(inner, task, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return output;
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    });
  }

  async #perform(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, expectedOutput, agent, identity, model } = prepared;
    const { options } = this.#crew;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const meter = new UsageMeter();
    const work: AgentWork = {
      agent,
      identity,
      model,
      prompts,
      prompt: taskPrompt(prompts, {
        description,
        expectedOutput,
        context,
        markdown: task.markdown,
        schema: shape?.schema,
      }),
      taskName: task.label,
      tools: task.effectiveTools,
      answerSchema: shape?.schema,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      deadlineAtMs:
        agent.maxExecutionTime === undefined
          ? undefined
          : scope.now() + agent.maxExecutionTime * 1000,
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      meter,
      stepCallback: agent.stepCallback ?? options.stepCallback,
    };
    const answer = await executeAgent(scope, work);
    const structured =
      shape === undefined ? undefined : await toStructured(scope, answer, { shape, work });
    return {
      name: task.label,
      description,
      expectedOutput,
      summary: summaryOf(description),
      agent: identity.role,
      raw: answer,
      outputFormat: structured === undefined ? "raw" : "json",
      ...(structured === undefined ? undefined : { object: structured }),
      usage: meter.total,
    };
  }

  async #notify(scope: RunScope, task: Task, output: TaskRecord): Promise<void> {
    const callback = task.callback ?? this.#crew.options.taskCallback;
    if (callback === undefined) return;
    await scope.at("callback").step({
      kind: "effect",
      retry: NO_RETRY,
      run: async (_, inside) => {
        await inside.run(() => callback(typedOutput(output, task.output)));
      },
    });
  }

  #identity({ role, goal, backstory }: Agent): AgentIdentity {
    const where = (field: string): string => `the ${field} of agent "${role}"`;
    return {
      role: this.#fill(role, where("role")),
      goal: this.#fill(goal, where("goal")),
      backstory: this.#fill(backstory, where("backstory")),
    };
  }

  /** A run without inputs leaves the texts as they are. */
  #fill(text: string, where: string): string {
    return Object.keys(this.#inputs).length === 0 ? text : interpolate(text, this.#inputs, where);
  }

  #limiterOf(agent: Agent): RateLimiter | undefined {
    if (agent.maxRpm === undefined) return this.#limiter;
    let own = this.#ownLimiters.get(agent);
    if (own === undefined) this.#ownLimiters.set(agent, (own = new RateLimiter(agent.maxRpm)));
    return own;
  }
}

/** Passes a value through callbacks, each called once however often the run is replayed. `check` throws for what none of them may return. */
async function callEach<T>(
  scope: RunScope,
  callbacks: ReadonlyArray<(value: T) => T | Promise<T>>,
  { first, check }: { readonly first: T; readonly check: (value: T) => void },
): Promise<T> {
  let value = first;
  for (const [index, callback] of callbacks.entries()) {
    const given = value;
    value = await scope.at(String(index)).step<T>({
      kind: "effect",
      retry: NO_RETRY,
      run: async (_, inside) => {
        const returned = await inside.run(() => callback(given));
        check(returned);
        // As it will be read from the record: a replay must not see another value than the first run did.
        return JSON.parse(JSON.stringify(returned)) as T;
      },
    });
  }
  return value;
}

function checkOutput(output: CrewOutput | null | undefined): void {
  if (typeof output?.raw === "string" && Array.isArray(output.tasks)) return;
  throw new EngineError(
    "output_invalid",
    `an afterKickoff callback must return the crew's output with its raw, tasks and usage, got ${preview(output)}`,
  );
}
