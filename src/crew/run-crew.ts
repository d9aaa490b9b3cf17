// A crew's tasks, one after another, as durable steps.
//
//   CR1. A task without `context` gets the outputs of all earlier tasks; an asynchronous task gets the output of the
//        last synchronous task. A task with a list as `context` gets the outputs of the tasks in it.
//   CR2. Asynchronous tasks are awaited before the next synchronous one, in the order of their start; the first failed
//        one fails the crew. On a host with child runs, child runs do the tasks if there are many (fan-out.ts).
//   CR3. The crew's answer is the last non-empty output; a crew without one fails.
//   CR4. All placeholders are filled, and all models and the file store are found, before the first task starts.
//   CR5. In a hierarchical crew the manager does every task; the agents work for the manager. The tasks themselves do
//        not change.
import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { EngineError, errorMessage, toErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { addUsage, type Usage } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import { runWorkspace } from "../files/workspace.ts";
import { fingerprintField } from "../security/security-config.ts";
import { accountFields } from "../tools/tool-accounts.ts";
import { failuresField } from "../tools/tool-failure.ts";
import { callEach, checkOutput } from "./crew-callbacks.ts";
import { crewHooks } from "./crew-hooks.ts";
import { CrewLog, type LoggedTask } from "./crew-log.ts";
import { workspacePlace } from "./crew-workspace.ts";
import { ConditionalTask } from "./tasks/conditional-task.ts";
import { fanOut, type CrewPart } from "./batch/fan-out.ts";
import { checkInputs } from "../base/interpolate.ts";
import type { NamedSource } from "../files/file-source.ts";
import { hasLessons, withLessons } from "./actions/lessons.ts";
import { planTasks, withPlan } from "./plan-tasks.ts";
import { CrewPreparation } from "./prepare-crew.ts";
import {
  joinContext,
  typedOutput,
  type CrewOutput,
  type CrewRecord,
  type TaskOutput,
  type TaskRecord,
} from "./tasks/task-output.ts";
import { resolveFiles } from "../files/resolve-files.ts";
import { crewSources } from "./crew-sources.ts";
import { CrewWork } from "./crew-work.ts";
import type { RunnableCrew } from "./runnable-crew.ts";
import { TaskPerformer } from "./tasks/perform-task.ts";
import type { PreparedTask } from "./tasks/prepared-task.ts";
import type { Task } from "./tasks/task.ts";

/** Runs a crew at `scope` with its hooks and returns its output as JSON. */
export async function runCrew(
  scope: RunScope,
  crew: RunnableCrew,
  kickoffInputs: JsonObject,
): Promise<CrewRecord> {
  const place = await workspacePlace(scope, crew);
  const hooks = crewHooks(place, crew);
  return hooks.around(() => runHooked(place, crew, { kickoffInputs, hooks }));
}

async function runHooked(
  scope: RunScope,
  crew: RunnableCrew,
  {
    kickoffInputs,
    hooks,
  }: { readonly kickoffInputs: JsonObject; readonly hooks: ReturnType<typeof crewHooks> },
): Promise<CrewRecord> {
  const { beforeKickoff = [], afterKickoff = [] } = crew.options;
  const prepared = await callEach(scope.at("before-kickoff"), beforeKickoff, {
    first: await hooks.start({ ...crew.options.inputs, ...kickoffInputs }),
    check: checkInputs,
    marks: { label: "beforeKickoff", mark: "inputs" },
    what: `beforeKickoff of crew "${crew.name}"`,
  });
  const inputs = await hooks.input(prepared);
  const inner = scope.open("crew_kickoff_started", {
    crewName: crew.name,
    inputs,
    ...fingerprintField(crew),
  });
  try {
    const taught = hasLessons(inner, crew) ? await withLessons(inner, crew) : crew;
    const output = crewOutput(crew.name, await new CrewRun(inner, taught, inputs).run());
    const returned = await callEach(inner.at("after-kickoff"), afterKickoff, {
      first: await hooks.output(output),
      check: checkOutput,
      what: `afterKickoff of crew "${crew.name}"`,
    });
    const record = await hooks.end(returned);
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

/** Does some of a crew's tasks at `scope` concurrently and returns an outcome for each, in their order. */
export async function runPart(
  scope: RunScope,
  crew: RunnableCrew,
  { inputs, part }: { readonly inputs: JsonObject; readonly part: CrewPart },
): Promise<{ readonly parts: readonly JsonValue[] }> {
  const taught = await withLessons(scope, crew);
  const { workspace = runWorkspace(scope.runId) } = part;
  return { parts: await new CrewRun(scope.offering({ workspace }), taught, inputs).doPart(part) };
}

/** The outputs of the tasks, and the usage outside of them. */
type TasksDone = { readonly tasks: readonly TaskRecord[]; readonly extraUsage: Usage };

function crewOutput(crewName: string, { tasks, extraUsage }: TasksDone): CrewOutput {
  const last = tasks.findLast((output) => output.raw !== "");
  if (last === undefined)
    throw new EngineError(
      "output_invalid",
      `crew "${crewName}" ended without an output: all its tasks gave empty texts`,
    );
  const usage = tasks.reduce((sum, output) => addUsage(sum, output.usage), extraUsage);
  const object = last.object === undefined ? undefined : { object: last.object };
  const finish = last.finishReason === undefined ? undefined : { finishReason: last.finishReason };
  const failures = tasks.flatMap((output) => output.toolFailures ?? []);
  const accounts = accountFields(tasks);
  return {
    raw: last.raw,
    ...object,
    ...finish,
    tasks,
    usage,
    ...accounts,
    ...failuresField(failures),
  };
}

class CrewRun {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #inputs: JsonObject;
  readonly #prepare: CrewPreparation;
  readonly #work: CrewWork;
  readonly #performer: TaskPerformer;
  readonly #log: CrewLog | undefined;
  readonly #outputs: TaskRecord[] = [];
  readonly #byTask = new Map<Task, TaskRecord>();
  /** Outputs of the current asynchronous tasks in child runs, by task key. */
  #fannedOut: ReturnType<typeof fanOut> = new Map();
  #pending: Array<{ readonly prepared: PreparedTask; readonly output: Promise<TaskRecord> }> = [];
  #lastSync: TaskRecord | undefined;
  /** Task with the last stored output. */
  #last: Task | undefined;

  constructor(scope: RunScope, crew: RunnableCrew, inputs: JsonObject) {
    this.#scope = scope;
    this.#crew = crew;
    this.#inputs = inputs;
    this.#prepare = new CrewPreparation(scope, crew, inputs);
    this.#work = new CrewWork(crew, crewSources(scope, crew));
    this.#performer = new TaskPerformer(this.#work, this.#prepare.agentsToAsk());
    const { logPath } = this.#prepare;
    this.#log = logPath === undefined ? undefined : new CrewLog(scope, logPath);
  }

  async run(): Promise<TasksDone> {
    const { sources } = this.#work;
    if (sources === undefined) return this.#run();
    try {
      await sources.open();
      return await this.#run();
    } finally {
      await sources.drain();
    }
  }

  async #run(): Promise<TasksDone> {
    const unplanned = await this.#withFiles(
      this.#crew.tasks.map((task, index) => this.#prepare.task(task, index)),
    );
    const { plans, usage } = await planTasks(this.#scope, unplanned, {
      crew: this.#crew,
      prepare: this.#prepare,
      work: this.#work,
    });
    const prepared = unplanned.map((task, index) => withPlan(task, plans[index + 1]));
    for (const [index, task] of prepared.entries()) {
      const isFirstBeside = task.task.asyncExecution && this.#pending.length === 0;
      if (isFirstBeside) this.#fannedOut = this.#fanOut(prepared, index);
      await this.#do(task);
    }
    await this.#gather();
    return { tasks: this.#outputs, extraUsage: usage };
  }

  /** The tasks with their files found: each source once, before anything else happens. */
  async #withFiles(tasks: readonly PreparedTask[]): Promise<readonly PreparedTask[]> {
    const named = tasks.flatMap(({ fileSources }) =>
      Object.entries(fileSources).map(([key, source]) => ({ key, source })),
    );
    const isFirst = ({ key, source }: NamedSource, index: number): boolean =>
      named.findIndex((each) => each.key === key && each.source === source) === index;
    const sources = named.filter(isFirst);
    if (sources.length === 0) return tasks;
    const found = await resolveFiles(this.#scope.at("files"), sources);
    const { fileLists } = await this.#scope.load(() => import("../files/file-lists.ts"));
    const { readFileTool } = await this.#scope.load(() => import("../tools/builtin/read-file.ts"));
    return tasks.map((task): PreparedTask => {
      const files = sources.flatMap(({ key, source }, index) =>
        task.fileSources[key] === source ? (found[index] ?? []) : [],
      );
      const lists = fileLists(files, task.model, this.#scope.services);
      const fileTools = files.length === 0 ? [] : [readFileTool(files)];
      return { ...task, files, fileTools, extras: { ...task.extras, files: lists } };
    });
  }

  async #do(prepared: PreparedTask): Promise<void> {
    const { task } = prepared;
    if (!task.asyncExecution) await this.#gather();
    this.#log?.started(logged(prepared));
    if (task.asyncExecution) {
      const output = this.#fannedOut.get(prepared.key) ?? this.#startBeside(prepared);
      output.catch(() => undefined); // gathered later; the rejection is handled there
      this.#pending.push({ prepared, output });
      return;
    }
    const context = joinContext(this.#listed(task) ?? this.#outputs, this.#crew.prompts);
    const previous = task instanceof ConditionalTask ? this.#previousOutput() : undefined;
    const output = await this.#performer.perform(this.#scope, prepared, { context, previous });
    await this.#keep(prepared, output);
    if (output.skipped !== true) this.#lastSync = output;
  }

  #previousOutput(): TaskOutput | undefined {
    const output = this.#outputs.at(-1);
    return output === undefined ? undefined : typedOutput(output, this.#last?.output);
  }

  /** Starts an asynchronous task. */
  #startBeside(prepared: PreparedTask): Promise<TaskRecord> {
    const context = this.#contextOfAsync(prepared.task);
    return this.#performer.perform(this.#scope, prepared, { context, previous: undefined });
  }

  /** The asynchronous tasks from `start` on, up to the next synchronous one. */
  #fanOut(prepared: readonly PreparedTask[], start: number): ReturnType<typeof fanOut> {
    const end = prepared.findIndex(({ task }, index) => index > start && !task.asyncExecution);
    const stretch = prepared.slice(start, end === -1 ? undefined : end);
    const tasks = stretch.map((each) => ({
      prepared: each,
      context: this.#contextOfAsync(each.task),
    }));
    return fanOut(this.#scope, this.#crew, { inputs: this.#inputs, tasks });
  }

  async doPart({ contexts, tasks }: CrewPart): Promise<readonly JsonValue[]> {
    await this.#work.sources?.openOffers();
    const known = await this.#withFiles(
      tasks.flatMap(({ key }) => {
        const index = this.#crew.taskKeys.indexOf(key);
        const task = this.#crew.tasks[index];
        return task === undefined ? [] : [this.#prepare.task(task, index)];
      }),
    );
    const outcomes = tasks.map(async ({ key, context, plan }): Promise<JsonValue> => {
      try {
        const task = known.find((each) => each.key === key);
        if (task === undefined)
          throw new EngineError("journal_mismatch", `the crew has no task ${key} any more`);
        const prepared = withPlan(task, plan);
        const value = await this.#performer.perform(this.#scope, prepared, {
          context: contexts[context] ?? "",
          previous: undefined,
        });
        return { value };
      } catch (error) {
        return { error: toErrorRecord(error) };
      }
    });
    return Promise.all(outcomes);
  }

  async #gather(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { prepared, output } of pending) await this.#keep(prepared, await output);
  }

  async #keep(prepared: PreparedTask, output: TaskRecord): Promise<void> {
    const { task } = prepared;
    this.#outputs.push(output);
    this.#byTask.set(task, output);
    this.#last = task;
    this.#save(prepared, output);
    await this.#log?.completed(logged(prepared), output.raw);
  }

  /** Saves memories of a task (CM1 and CM2 in crew-sources.ts). */
  #save({ key, identity, ...prepared }: PreparedTask, { raw, skipped }: TaskRecord): void {
    const { sources } = this.#work;
    if (sources === undefined || skipped === true || this.#crew.iteration !== undefined) return;
    const { description, expectedOutput } = prepared;
    const place = this.#scope.at(`remember:${key.replace(/^task:/, "")}`);
    const caller = this.#work.callerFor(this.#scope, { ...prepared, identity });
    sources.save(place, caller, { description, expectedOutput, role: identity.role, output: raw });
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
}

function logged({ key, task, description, identity }: PreparedTask): LoggedTask {
  return { key, name: task.label, description, agentRole: identity.role };
}
