import type { Agent } from "../agent/agent.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { placeholders } from "../base/template.ts";
import type { Training } from "../base/training.ts";
import { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { refuseOtherInputs } from "../runtime/fork.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/local-run.ts";
import type { ResumeRequest, RunHandle } from "../runtime/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { Wait } from "../runtime/run.ts";
import { chatWithCrew, checkChat, type ChatMessage, type ChatReply } from "./chat-crew.ts";
import { checkCrew } from "./check-crew.ts";
import type { CrewOptions } from "./crew-options.ts";
import { checkIterations, entryProgram, entryRecord, readEntry, type CrewEntry } from "./entry.ts";
import { checkInputs } from "./interpolate.ts";
import { trainingName } from "./lessons.ts";
import { runCrew } from "./run-crew.ts";
import type { OutputOf, Task } from "./task.ts";
import { taskKeys } from "./task-keys.ts";
import { testCrew } from "./test-crew.ts";
import type { TestReport } from "./test-report.ts";
import { trainCrew } from "./train-crew.ts";
import { typedOutput, type CrewOutput, type CrewRecord } from "./task-output.ts";

export type KickoffOptions = {
  /** Values for the `{placeholders}` in tasks and agents. */
  readonly inputs?: JsonObject;
};

export type TrainOptions = KickoffOptions & {
  /** How often the crew does its tasks. An integer from 1 to 100. */
  readonly iterations: number;
  /** What the training is kept under. @default the crew's `trained` or, without one, its name */
  readonly name?: string;
  /** Says what to change in an answer; called once for each task of each iteration. The answer itself is in the wait's `prompt`. */
  readonly answer: (wait: Wait) => string | ResumeRequest | Promise<string | ResumeRequest>;
};

export type TestOptions = KickoffOptions & {
  /** How often the crew is run. An integer from 1 to 100. */
  readonly iterations: number;
  /** The model that judges. @default the environment's model */
  readonly evalModel?: ModelSpec;
};

/** The output type of the last task of a list. */
type LastOutput<Tasks extends readonly Task[]> = Tasks extends readonly [...Task[], infer Last]
  ? Last extends Task<infer Output>
    ? OutputOf<Output>
    : unknown
  : unknown;

/** Agents and the tasks they do, in order. A value: one crew serves any number of runs at once. */
export class Crew<const Tasks extends readonly Task[] = readonly Task[]> {
  readonly name: string;
  readonly agents: readonly Agent[];
  readonly tasks: Tasks;
  readonly options: CrewOptions<Tasks>;
  readonly prompts: Prompts;
  /** The step key of each task. */
  readonly taskKeys: readonly string[];

  /** Throws `invalid_definition`; the message begins with the kind of fault, such as `missing_agent_in_task`. */
  constructor(options: CrewOptions<Tasks>) {
    checkCrew(options);
    this.options = options;
    this.name = options.name ?? "crew";
    this.tasks = options.tasks;
    this.agents = [
      ...new Set([...(options.agents ?? []), ...options.tasks.flatMap((task) => task.agent ?? [])]),
    ];
    this.prompts = mergePrompts(options.prompts ?? {});
    this.taskKeys = taskKeys(options.tasks);
  }

  /** The names of all placeholders in tasks and agents. */
  get placeholders(): readonly string[] {
    const texts = [
      ...this.tasks.flatMap((task) => [task.description, task.expectedOutput]),
      ...this.agents.flatMap((agent) => [agent.role, agent.goal, agent.backstory]),
    ];
    return [...new Set(texts.flatMap(placeholders))];
  }

  /** The inputs that a run has to give: placeholders without a default. Empty for a crew whose `beforeKickoff` may give them. */
  get requiredInputs(): readonly string[] {
    const { inputs = {}, beforeKickoff = [] } = this.options;
    return beforeKickoff.length > 0
      ? []
      : this.placeholders.filter((name) => !Object.hasOwn(inputs, name));
  }

  /**
   * Runs the crew and answers its output. Inside a flow, a tool or another crew it joins the run that is under way;
   * otherwise it runs in this process with its journal in memory.
   */
  async kickoff(options: KickoffOptions = {}): Promise<CrewOutput<LastOutput<Tasks>>> {
    const inputs = options.inputs ?? {};
    checkInputs(inputs);
    const scope = RunScope.current();
    const record =
      scope === undefined
        ? await new LocalRun(
            { kind: "crew", name: this.name, inputs },
            this.program(),
          ).outputUnattended()
        : await runCrew(scope.atNext(`crew:${keySegment(this.name)}`), this, inputs);
    return this.#typed(record as unknown as CrewRecord);
  }

  /** Starts a run in this process and returns its handle. */
  start(options: KickoffOptions & LocalRunOptions = {}): RunHandle {
    const { inputs = {}, ...rest } = options;
    checkInputs(inputs);
    return new LocalRun({ kind: "crew", name: this.name, inputs }, this.program(), rest);
  }

  /** A crew with some options changed. Its agents and tasks are the same ones, as they are values. */
  copy(overrides: Partial<CrewOptions<Tasks>> = {}): Crew<Tasks> {
    return new Crew<Tasks>({ ...this.options, ...overrides });
  }

  /**
   * Does the crew's tasks anew from one on: what was on record in another run of this process when that task started is taken over.
   * `inputs` replace that run's; rejects with `conflict` where its own went through `beforeKickoff`. A new run, and its handle;
   * clock, models and services are the other run's unless others are given.
   */
  async replay(
    run: RunHandle,
    options: { readonly fromTask: string; readonly inputs?: JsonObject } & LocalRunOptions,
  ): Promise<RunHandle> {
    const { fromTask, inputs: given, ...rest } = options;
    if (given !== undefined) checkInputs(given);
    if (!(run instanceof LocalRun))
      throw new EngineError(
        "invalid_input",
        `only a run of this process can be replayed here: for run ${run.id}, ask its Worker (POST /runs/${run.id}/replay)`,
      );
    const { start, before, rows } = await run.recordBefore({ fromTask });
    refuseOtherInputs(rows, given);
    const { kind, name, entry } = start;
    const again = {
      kind,
      name,
      inputs: given ?? start.inputs,
      origin: { runId: run.id, before },
      ...(entry === undefined ? undefined : { entry }),
    };
    const program = entry === undefined ? this.program() : entryProgram(this, readEntry(entry));
    return new LocalRun(again, program, { ...run.options, ...rest, adopt: rows });
  }

  /**
   * Runs the crew some times, has `answer` say what to change in each answer of a task, and makes of that what each agent shall do
   * from now on: the `trained` of a crew. Inside a run it joins that, whose people are asked instead.
   */
  async train(options: TrainOptions & LocalRunOptions): Promise<Training> {
    const { answer, ...training } = options;
    const { entry, inputs, rest } = this.#training(training);
    const scope = RunScope.current();
    if (scope !== undefined)
      return trainCrew(scope.atNext(`train:${keySegment(this.name)}`), this, { ...entry, inputs });
    const output = await this.#enter(entry, inputs, rest).outputAttended(async (wait) => {
      const said = await answer(wait);
      return typeof said === "string" ? { feedback: said } : said;
    });
    return output as Training;
  }

  /** As `train`, as a run of this process; people answer through its handle. Its output is the `Training`. */
  startTraining(options: Omit<TrainOptions, "answer"> & LocalRunOptions): RunHandle {
    const { entry, inputs, rest } = this.#training(options);
    return this.#enter(entry, inputs, rest);
  }

  /** Runs the crew some times and has a model score what its tasks give. Inside a run it joins that. */
  async test(options: TestOptions & LocalRunOptions): Promise<TestReport> {
    const { iterations, evalModel, inputs = {}, ...rest } = options;
    checkIterations(iterations);
    checkInputs(inputs);
    const scope = RunScope.current();
    const output =
      scope === undefined
        ? await this.#enter(
            { action: "test", iterations, evalModel },
            inputs,
            rest,
          ).outputUnattended()
        : await testCrew(scope.atNext(`test:${keySegment(this.name)}`), this, {
            iterations,
            evalModel,
            inputs,
          });
    return output as unknown as TestReport;
  }

  /** As `test`, as a run of this process. Its output is the `TestReport`. */
  startTest({
    iterations,
    evalModel,
    inputs = {},
    ...rest
  }: TestOptions & LocalRunOptions): RunHandle {
    checkIterations(iterations);
    checkInputs(inputs);
    return this.#enter({ action: "test", iterations, evalModel }, inputs, rest);
  }

  /** Answers the last message of a conversation; the model that does can have the crew work. Inside a run it joins that. */
  async chat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): Promise<ChatReply> {
    checkChat(messages);
    const scope = RunScope.current();
    const output =
      scope === undefined
        ? await this.#enter({ action: "chat", messages }, {}, options).outputUnattended()
        : await chatWithCrew(scope.atNext(`chat:${keySegment(this.name)}`), this, messages);
    return output as ChatReply;
  }

  /** As `chat`, as a run of this process. Its output is the `ChatReply`. */
  startChat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): RunHandle {
    checkChat(messages);
    return this.#enter({ action: "chat", messages }, {}, options);
  }

  #training(options: Omit<TrainOptions, "answer"> & LocalRunOptions) {
    const { iterations, name = trainingName(this), inputs = {}, ...rest } = options;
    checkIterations(iterations);
    checkInputs(inputs);
    return { entry: { action: "train", iterations, name } as const, inputs, rest };
  }

  #enter(entry: CrewEntry, inputs: JsonObject, options: LocalRunOptions): LocalRun {
    const start = { kind: "crew", name: this.name, inputs, entry: entryRecord(entry) } as const;
    return new LocalRun(start, entryProgram(this, entry), options);
  }

  /** What a host runs for this crew. */
  program(): RunProgram {
    return {
      run: (scope: RunScope, inputs: JsonObject) => runCrew(scope, this, inputs),
      tasks: this.tasks.map((task, index) => ({
        key: this.taskKeys[index] ?? "",
        name: task.label,
        agent: task.agent?.role ?? "",
      })),
    };
  }

  #typed(record: CrewRecord): CrewOutput<LastOutput<Tasks>> {
    const tasks = record.tasks.map((output, index) =>
      typedOutput(output, this.tasks[index]?.output),
    );
    const last = record.tasks.findLastIndex((output) => output.raw !== "");
    const { object } = typedOutput(record, this.tasks[last]?.output);
    return {
      raw: record.raw,
      ...(object === undefined ? undefined : { object: object as LastOutput<Tasks> }),
      tasks,
      usage: record.usage,
    };
  }
}
