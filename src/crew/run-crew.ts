// A crew's tasks, one after another, as durable steps.
//
//   CR1. A task without `context` gets the outputs of all tasks before it; an asynchronous one that of the last
//        synchronous task. A list gives the outputs of its tasks.
//   CR2. Asynchronous tasks are gathered before the next synchronous one, in the order of their start; the first that
//        failed fails the crew.
//   CR3. The crew's answer is the last output that is not empty; a crew without one fails.
//   CR4. Inputs are put into all texts, and all models are found, before the first task starts.
import type { AgentIdentity } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import type { Prompts } from "../agent/prompts.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { addUsage, NO_USAGE } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import { INPUTS_STEP } from "../runtime/fork.ts";
import { cut } from "../tools/call-tool.ts";
import type { CrewOptions } from "./crew-options.ts";
import type { Exercise } from "./exercise.ts";
import { checkInputs, interpolate } from "./interpolate.ts";
import { withLessons, type Lessons } from "./lessons.ts";
import { joinContext, type CrewOutput, type CrewRecord, type TaskRecord } from "./task-output.ts";
import { MAX_EVENT_TEXT, TaskPerformer, type PreparedTask } from "./perform-task.ts";
import type { Task } from "./task.ts";

/** What of a crew a run needs. */
export type RunnableCrew = {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly taskKeys: readonly string[];
  readonly prompts: Prompts;
  readonly options: CrewOptions;
  /** What agents are told to follow in this run, in place of what the crew was taught. */
  readonly lessons?: Lessons;
  /** While the crew is trained or tested. */
  readonly exercise?: Exercise;
};

/** Runs a crew at `scope`; answers its output as JSON can hold it. */
export async function runCrew(
  scope: RunScope,
  crew: RunnableCrew,
  givenInputs: JsonObject,
): Promise<CrewRecord> {
  const { beforeKickoff = [], afterKickoff = [] } = crew.options;
  const inputs = await callEach(scope.at(INPUTS_STEP), beforeKickoff, {
    first: { ...crew.options.inputs, ...givenInputs },
    check: checkInputs,
  });
  const inner = scope.open("crew_kickoff_started", { crewName: crew.name, inputs });
  try {
    const taught = crew.options.trained === undefined ? crew : await withLessons(inner, crew);
    const output = crewOutput(crew.name, await new CrewRun(inner, taught, inputs).run());
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

class CrewRun {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #inputs: JsonObject;
  readonly #performer: TaskPerformer;
  readonly #outputs: TaskRecord[] = [];
  readonly #byTask = new Map<Task, TaskRecord>();
  #pending: Array<{ readonly task: Task; readonly output: Promise<TaskRecord> }> = [];
  #lastSync: TaskRecord | undefined;

  constructor(scope: RunScope, crew: RunnableCrew, inputs: JsonObject) {
    this.#scope = scope;
    this.#crew = crew;
    this.#inputs = inputs;
    this.#performer = new TaskPerformer(crew);
  }

  async run(): Promise<readonly TaskRecord[]> {
    const prepared = this.#crew.tasks.map((task, index) =>
      this.#prepare(task, this.#crew.taskKeys[index] ?? `task:${index}`),
    );
    for (const each of prepared) {
      const { task } = each;
      if (task.asyncExecution) {
        const output = this.#performer.perform(this.#scope, each, this.#contextOfAsync(task));
        output.catch(() => undefined); // gathered later; until then nobody looks
        this.#pending.push({ task, output });
        continue;
      }
      await this.#gather();
      this.#lastSync = this.#keep(
        task,
        await this.#performer.perform(
          this.#scope,
          each,
          joinContext(this.#listed(task) ?? this.#outputs, this.#crew.prompts),
        ),
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
      this.#crew.prompts,
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
    value = await scope.at(String(index)).callOnce(async () => {
      const returned = await callback(given);
      check(returned);
      return returned;
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
