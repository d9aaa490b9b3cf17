import { feedsOf } from "./tasks/task-feeds.ts";
import { Agent } from "../agent/description/agent.ts";
import { mergePrompts, type Prompts } from "../agent/prompts/prompts.ts";
import { withText } from "../base/with-text.ts";
import { checkInputs } from "../base/interpolate.ts";
import { md5Hex } from "../base/digest.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { placeholders } from "../base/template.ts";
import { ListenerPlan } from "../events/listener.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { checkHooks } from "../hooks/hook.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { TaskState } from "../runtime/run.ts";
import { RunStream } from "../runtime/handle/run-stream.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
} from "../security/security-config.ts";
import { accountFields } from "../tools/tool-accounts.ts";
import { checkFailurePolicy, failuresField } from "../tools/tool-failure.ts";
import type { ChatMessage, ChatReply } from "./actions/chat-messages.ts";
import { checkCrew } from "./check-crew.ts";
import { CrewInputs, type InputSchema } from "./crew-inputs.ts";
import type { CrewOptions, Process } from "./crew-options.ts";
import {
  allOutputs,
  forEachInput,
  type ForEachOptions,
  type ItemResult,
} from "./batch/kickoff-for-each.ts";
import {
  chat,
  replay,
  startChat,
  startTest,
  startTraining,
  test,
  train,
  type ReplayOptions,
  type TestOptions,
  type TrainOptions,
} from "./actions/local-actions.ts";
import {
  checkKickoffOptions,
  joinedPlace,
  joinedStart,
  localStart,
  type KickoffOptions,
} from "./local-start.ts";
import { readInputFiles } from "../files/started-files.ts";
import { resetMemories, type ResetType } from "./crew-sources.ts";
import { runCrew } from "./run-crew.ts";
import type { OutputOf, RecordOf, Task } from "./tasks/task.ts";
import { taskKeys } from "./tasks/task-keys.ts";
import type { TestReport } from "./actions/test-report.ts";
import {
  typedOutput,
  type CrewOutput,
  type CrewRecord,
  type TaskOutput,
} from "./tasks/task-output.ts";
import type { Training } from "./actions/training.ts";

/** The output type of the last task of a list. */
type LastOutput<Tasks extends readonly Task[]> = Tasks extends readonly [...Task[], infer Last]
  ? Last extends Task<infer Output>
    ? OutputOf<Output>
    : unknown
  : unknown;

/** The JSON of the output of the last task of a list. */
type LastRecord<Tasks extends readonly Task[]> = Tasks extends readonly [...Task[], infer Last]
  ? Last extends Task<infer Output>
    ? RecordOf<Output>
    : JsonValue
  : JsonValue;

/** The outputs of a list of tasks. */
type OutputsOf<Tasks extends readonly Task[]> = {
  readonly [Index in keyof Tasks]: Tasks[Index] extends Task<infer Output>
    ? TaskOutput<OutputOf<Output>>
    : TaskOutput;
};

/** Output type of a kickoff with these tasks. */
type OutputOfCrew<Tasks extends readonly Task[]> = CrewOutput<LastOutput<Tasks>, OutputsOf<Tasks>>;

/** Agents and their tasks, in order. A crew is a value: it serves any number of concurrent runs. */
export class Crew<
  const Tasks extends readonly Task[] = readonly Task[],
  Schema extends InputSchema = InputSchema,
> {
  readonly name: string;
  /** The agents without the manager. */
  readonly agents: readonly Agent[];
  readonly process: Process;
  /** Manager of a hierarchical crew, which does the tasks. */
  readonly manager: Agent | undefined;
  readonly tasks: Tasks;
  readonly options: CrewOptions<Tasks, Schema>;
  readonly prompts: Prompts;
  /** The step key of each task. */
  readonly taskKeys: readonly string[];
  readonly securityConfig: SecurityConfig;
  readonly #listeners: ListenerPlan | undefined;
  readonly #inputs?: CrewInputs;
  #program: RunProgram<CrewRecord> | undefined;

  /** Throws `invalid_definition`; the message begins with the kind of fault, such as `missing_agent_in_task`. */
  constructor(options: CrewOptions<Tasks, Schema>) {
    checkCrew(options, new.target !== Crew);
    checkHooks(options.hooks, `crew "${options.name ?? "crew"}"`);
    checkFailurePolicy(options.toolFailurePolicy, `crew "${options.name ?? "crew"}"`);
    this.options = options;
    this.name = options.name ?? "crew";
    this.tasks = options.tasks;
    this.process = options.process ?? "sequential";
    this.prompts = mergePrompts(options.prompts ?? {});
    this.manager = managerOf(options, this.prompts);
    const { manager } = this;
    this.agents = [
      ...new Set([...(options.agents ?? []), ...options.tasks.flatMap((task) => task.agent ?? [])]),
    ].filter((agent) => agent !== manager);
    this.taskKeys = taskKeys(options.tasks);
    this.securityConfig = securityConfigOf(options.securityConfig);
    this.#listeners =
      options.listeners === undefined ? undefined : new ListenerPlan(options.listeners);
    const { inputSchema, inputs: defaults = {} } = options;
    if (inputSchema !== undefined)
      this.#inputs = new CrewInputs(inputSchema, {
        crew: this.name,
        needed: this.#neededByTexts(),
        defaults,
      });
  }

  /** MD5 of the keys of all agents and tasks. */
  get key(): string {
    return md5Hex([...this.agents, ...this.tasks].map(({ key }) => key).join("|"));
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this, "crew");
  }

  /** The names of all placeholders in tasks and agents. */
  get placeholders(): readonly string[] {
    const texts = [
      ...this.tasks.flatMap((task) => [
        task.description,
        task.expectedOutput,
        task.outputFile ?? "",
        ...Object.values(task.inputFiles).map(({ text }) => text),
      ]),
      ...Object.values(readInputFiles(this.options.inputFiles, { owner: "crew" })).map(
        ({ text }) => text,
      ),
      typeof this.options.outputLogFile === "string" ? this.options.outputLogFile : "",
      ...[...this.agents, ...(this.manager === undefined ? [] : [this.manager])].flatMap(
        (agent) => [agent.role, agent.goal, agent.backstory],
      ),
    ];
    return [...new Set(texts.flatMap(placeholders))];
  }

  /** `placeholders` as a set. */
  fetchInputs(): Set<string> {
    return new Set(this.placeholders);
  }

  /**
   * Required inputs of a kickoff: placeholders without a default, and required fields of `inputSchema`. For a crew with
   * `beforeKickoff`, which may add inputs, placeholders are not required.
   */
  get requiredInputs(): readonly string[] {
    return this.#inputs?.required ?? this.#neededByTexts();
  }

  /**
   * JSON Schema of `inputSchema`, with the texts' placeholders and the crew's defaults; undefined for a crew without
   * one.
   */
  get inputSchema(): JsonObject | undefined {
    return this.#inputs?.schema;
  }

  /**
   * Returns the inputs with the defaults of `inputSchema`, for the start of a run. Throws `invalid_input` if they do
   * not match it.
   */
  heldInputs(inputs: JsonObject): JsonObject {
    checkInputs(inputs);
    return this.#inputs === undefined ? inputs : this.#inputs.hold(inputs);
  }

  #neededByTexts(): readonly string[] {
    const { inputs = {}, beforeKickoff = [] } = this.options;
    return beforeKickoff.length > 0
      ? []
      : this.placeholders.filter((name) => !Object.hasOwn(inputs, name));
  }

  /**
   * Runs the crew and returns its output. Inside a flow, a tool or another crew it joins the current run; otherwise it
   * runs in this process with an in-process journal. Throws `invalid_input` for unknown options.
   */
  async kickoff(options: KickoffOptions = {}): Promise<OutputOfCrew<Tasks>> {
    checkKickoffOptions(options);
    const scope = RunScope.current();
    if (scope === undefined) {
      const { begin, local } = localStart(this, options);
      const run = new LocalRun(begin, this.program(), local);
      return this.#timed(await run.outputUnattended(), run);
    }
    const { place, inputs } = joinedStart(scope, this, { ...options, action: "crew" });
    return this.#typed(await runCrew(place, this, inputs));
  }

  /**
   * Runs the crew once for each of `inputs` and returns the outputs in the same order. All runs finish even if one fails; then
   * the promise rejects with the first failure, with an issue `/inputs/<index>` for each failure.
   */
  async kickoffForEach(
    inputs: readonly JsonObject[],
    options: ForEachOptions = {},
  ): Promise<Array<OutputOfCrew<Tasks>>> {
    return allOutputs(await this.kickoffForEachSettled(inputs, options));
  }

  /** Like `kickoffForEach`, but returns an output or an error for each input. It rejects only for invalid inputs. */
  kickoffForEachSettled(
    inputs: readonly JsonObject[],
    options: ForEachOptions = {},
  ): Promise<ReadonlyArray<ItemResult<OutputOfCrew<Tasks>>>> {
    const { concurrency, ...shared } = options;
    const kickoff = (each: JsonObject) => this.kickoff({ ...shared, inputs: each });
    return forEachInput(this, inputs, { concurrency, kickoff });
  }

  /** Starts a run in this process and returns its handle. */
  start(options: KickoffOptions & LocalRunOptions = {}): RunHandle<CrewRecord<LastRecord<Tasks>>> {
    const { begin, local } = localStart(this, options);
    const program = this.program() as RunProgram<CrewRecord<LastRecord<Tasks>>>;
    return new LocalRun(begin, program, local);
  }

  /** Streams the text of the models. The run starts in this process when the stream is first read. */
  stream(options: KickoffOptions & LocalRunOptions = {}): RunStream<OutputOfCrew<Tasks>> {
    const { begin, local } = localStart(this, options);
    const streaming = this.copy({ stream: true });
    return new RunStream(() => {
      const handle = new LocalRun(begin, streaming.program(), local);
      return { handle, result: async () => this.#timed(await handle.output(), handle) };
    });
  }

  /** Returns a crew with some options changed. It has the same agents and tasks, which are values. */
  copy(overrides: Partial<CrewOptions<Tasks, Schema>> = {}): Crew<Tasks, Schema> {
    return new Crew<Tasks, Schema>({ ...this.options, ...overrides });
  }

  /**
   * Starts a new run from the task `fromTask` on and returns its handle. Results before this task are copied from
   * another run of this process. `inputs` replace that run's inputs; the call rejects with `conflict` if
   * `beforeKickoff` changed those. Clock, models and services default to the other run's.
   */
  replay(run: RunHandle, options: ReplayOptions): Promise<RunHandle> {
    return replay(this, run, options);
  }

  /**
   * Runs the crew `iterations` times and asks `answer` for feedback on each task's answer. Returns each agent's
   * training, for the crew's option `trained`. Inside a run it joins the run, which then asks people instead.
   */
  train(options: TrainOptions & LocalRunOptions): Promise<Training> {
    return train(this, options);
  }

  /** Starts `train` as a run of this process. People answer through its handle; its output is the `Training`. */
  startTraining(options: Omit<TrainOptions, "answer"> & LocalRunOptions): RunHandle<Training> {
    return startTraining(this, options);
  }

  /** Runs the crew `iterations` times and lets a model score the output of each task. Inside a run it joins the run. */
  test(options: TestOptions & LocalRunOptions): Promise<TestReport> {
    return test(this, options);
  }

  /** Starts `test` as a run of this process. Its output is the `TestReport`. */
  startTest(options: TestOptions & LocalRunOptions): RunHandle<TestReport> {
    return startTest(this, options);
  }

  /**
   * Answers the last message of a conversation. The answering model can run the crew. Inside a run it joins the run.
   */
  chat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): Promise<ChatReply> {
    return chat(this, messages, options);
  }

  /** Starts `chat` as a run of this process. Its output is the `ChatReply`. */
  startChat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): RunHandle<ChatReply> {
    return startChat(this, messages, options);
  }

  /**
   * Empties the crew's `memory` (or one of CrewAI's names for it), its `knowledge` with its agents' knowledge,
   * `agent_knowledge`, or `all`. Outputs are stored with their runs, so `kickoff_outputs` has no effect. `services` are
   * the services of the crew's runs. Inside a run it joins the run.
   *
   * Throws `invalid_input` for another type and `conflict` for a type the crew does not have.
   */
  async resetMemories(type: ResetType, options: { services?: RunServices } = {}): Promise<void> {
    const scope = RunScope.current();
    if (scope !== undefined) {
      await resetMemories(joinedPlace(scope, this, "reset"), this, type);
      return;
    }
    const run = (place: RunScope) => resetMemories(place, this, type);
    const start = { kind: "crew" as const, name: this.name, inputs: {} };
    await new LocalRun(start, { run, tasks: [] }, options).output();
  }

  /** Returns the program of this crew for a host. */
  program(): RunProgram<CrewRecord> {
    return (this.#program ??= {
      run: (scope: RunScope, inputs: JsonObject) => runCrew(scope, this, inputs),
      tasks: this.tasks.map((task, index) => ({
        key: this.taskKeys[index] ?? "",
        name: task.label,
        agent: (this.manager ?? task.agent)?.role ?? "",
        context: feedsOf(this.tasks, index).map((place) => this.taskKeys[place] ?? ""),
      })),
      requiredInputs: this.requiredInputs,
      listeners: this.#listeners,
    });
  }

  /**
   * Adds the durations of the tasks, which the journal stores beside the outputs, so that a crash does not change
   * outputs.
   */
  #timed(record: CrewRecord, run: LocalRun<CrewRecord>): OutputOfCrew<Tasks> {
    const states = run.tasks;
    if (states.length !== record.tasks.length) return this.#typed(record);
    const tasks = record.tasks.map((output, index) => {
      const durationMs = output.skipped === true ? undefined : durationOf(states[index]);
      return durationMs === undefined ? output : { ...output, durationMs };
    });
    return this.#typed({ ...record, tasks });
  }

  #typed(record: CrewRecord): OutputOfCrew<Tasks> {
    const tasks = record.tasks.map((output, index) =>
      withText(typedOutput(output, this.tasks[index]?.output)),
    );
    const last = record.tasks.findLastIndex((output) => output.raw !== "");
    const { object } = typedOutput(record, this.tasks[last]?.output);
    return withText({
      raw: record.raw,
      ...(object === undefined ? undefined : { object: object as LastOutput<Tasks> }),
      tasks: tasks as unknown as OutputsOf<Tasks>,
      usage: record.usage,
      ...accountFields([record]),
      ...failuresField(record.toolFailures ?? []),
    });
  }
}

/** Returns the duration of a task in milliseconds; undefined before its end. */
function durationOf(state: TaskState | undefined): number | undefined {
  const { startedAt, finishedAt } = state ?? {};
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

/** The manager of a hierarchical crew: `managerAgent` or an agent with the texts of the prompts. */
function managerOf(options: CrewOptions, prompts: Prompts): Agent | undefined {
  const { process, managerAgent, managerLlm } = options;
  if (process !== "hierarchical") return undefined;
  if (managerAgent !== undefined) return managerAgent;
  return new Agent({
    ...prompts.hierarchicalManagerAgent,
    allowDelegation: true,
    ...(managerLlm === undefined ? undefined : { llm: managerLlm }),
  });
}
