import { Agent } from "../agent/description/agent.ts";
import { mergePrompts, type Prompts } from "../agent/prompts/prompts.ts";
import { md5Hex } from "../base/digest.ts";
import type { JsonObject } from "../base/json.ts";
import { placeholders } from "../base/template.ts";
import { ListenerPlan } from "../events/listener.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { checkHooks } from "../hooks/hook.ts";
import { servicesHere } from "../hooks/scoped-hooks.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/handle/local-run.ts";
import type { RunHandle } from "../runtime/handle/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { RunStream } from "../runtime/handle/run-stream.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
} from "../security/security-config.ts";
import { checkFailurePolicy, failuresField } from "../tools/tool-failure.ts";
import type { ChatMessage, ChatReply } from "./actions/chat-crew.ts";
import { checkCrew } from "./check-crew.ts";
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
  kickoffInputs,
  joinedPlace,
  localStart,
  kickoffServices,
  type KickoffOptions,
} from "./local-start.ts";
import { resetMemories, type ResetType } from "./crew-sources.ts";
import { runCrew } from "./run-crew.ts";
import type { OutputOf, Task } from "./tasks/task.ts";
import { taskKeys } from "./tasks/task-keys.ts";
import type { TestReport } from "./actions/test-report.ts";
import { typedOutput, type CrewOutput, type CrewRecord } from "./tasks/task-output.ts";
import type { Training } from "./actions/training.ts";

/** The output type of the last task of a list. */
type LastOutput<Tasks extends readonly Task[]> = Tasks extends readonly [...Task[], infer Last]
  ? Last extends Task<infer Output>
    ? OutputOf<Output>
    : unknown
  : unknown;

/** Agents and the tasks they do, in order. A value: one crew serves any number of runs at once. */
export class Crew<const Tasks extends readonly Task[] = readonly Task[]> {
  readonly name: string;
  /** Without the manager. */
  readonly agents: readonly Agent[];
  readonly process: Process;
  /** Who does the tasks of a hierarchical crew. */
  readonly manager: Agent | undefined;
  readonly tasks: Tasks;
  readonly options: CrewOptions<Tasks>;
  readonly prompts: Prompts;
  /** The step key of each task. */
  readonly taskKeys: readonly string[];
  readonly securityConfig: SecurityConfig;
  readonly #listeners: ListenerPlan | undefined;

  /** Throws `invalid_definition`; the message begins with the kind of fault, such as `missing_agent_in_task`. */
  constructor(options: CrewOptions<Tasks>) {
    checkCrew(options);
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
        ...Object.values(task.inputFiles),
      ]),
      ...Object.values(this.options.inputFiles ?? {}),
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
    const inputs = kickoffInputs(options);
    const scope = RunScope.current();
    const record =
      scope === undefined
        ? await new LocalRun({ kind: "crew", name: this.name, inputs }, this.program(), {
            services: servicesHere(kickoffServices(options)),
          }).outputUnattended()
        : await runCrew(joinedPlace(scope, this, "crew"), this, inputs);
    return this.#typed(record);
  }

  /**
   * As `kickoff`, once for each of many inputs; answers the outputs in their order. All runs are done even when one fails;
   * then it rejects with the first failure, and an issue `/inputs/<index>` for each.
   */
  async kickoffForEach(
    inputs: readonly JsonObject[],
    options: ForEachOptions = {},
  ): Promise<Array<CrewOutput<LastOutput<Tasks>>>> {
    return allOutputs(await this.kickoffForEachSettled(inputs, options));
  }

  /** As `kickoffForEach`, with an output or an error for each input; rejects only for inputs that cannot be started. */
  kickoffForEachSettled(
    inputs: readonly JsonObject[],
    options: ForEachOptions = {},
  ): Promise<ReadonlyArray<ItemResult<CrewOutput<LastOutput<Tasks>>>>> {
    const kickoff = (each: JsonObject) => this.kickoff({ inputs: each });
    return forEachInput(this, inputs, { ...options, kickoff });
  }

  /** Starts a run in this process and returns its handle. */
  start(options: KickoffOptions & LocalRunOptions = {}): RunHandle<CrewRecord> {
    const { begin, local } = localStart(this, options);
    return new LocalRun(begin, this.program(), local);
  }

  /** Its models' words as they come. The run starts in this process when the stream is first read. */
  stream(options: KickoffOptions & LocalRunOptions = {}): RunStream<CrewOutput<LastOutput<Tasks>>> {
    const { begin, local } = localStart(this, options);
    const streaming = this.copy({ stream: true });
    return new RunStream(() => {
      const handle = new LocalRun(begin, streaming.program(), local);
      return { handle, result: async () => this.#typed(await handle.output()) };
    });
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
  replay(run: RunHandle, options: ReplayOptions): Promise<RunHandle> {
    return replay(this, run, options);
  }

  /**
   * Runs the crew some times, has `answer` say what to change in each answer of a task, and makes of that what each agent shall do
   * from now on: the `trained` of a crew. Inside a run it joins that, whose people are asked instead.
   */
  train(options: TrainOptions & LocalRunOptions): Promise<Training> {
    return train(this, options);
  }

  /** As `train`, as a run of this process; people answer through its handle. Its output is the `Training`. */
  startTraining(options: Omit<TrainOptions, "answer"> & LocalRunOptions): RunHandle<Training> {
    return startTraining(this, options);
  }

  /** Runs the crew some times and has a model score what its tasks give. Inside a run it joins that. */
  test(options: TestOptions & LocalRunOptions): Promise<TestReport> {
    return test(this, options);
  }

  /** As `test`, as a run of this process. Its output is the `TestReport`. */
  startTest(options: TestOptions & LocalRunOptions): RunHandle<TestReport> {
    return startTest(this, options);
  }

  /** Answers the last message of a conversation; the model that does can have the crew work. Inside a run it joins that. */
  chat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): Promise<ChatReply> {
    return chat(this, messages, options);
  }

  /** As `chat`, as a run of this process. Its output is the `ChatReply`. */
  startChat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): RunHandle<ChatReply> {
    return startChat(this, messages, options);
  }

  /**
   * Forgets what the crew knows: `memory` (or by an old name of it), `knowledge` (the agents', too), `agent_knowledge`, or `all`. Outputs
   * are kept with their runs, so that `kickoff_outputs` finds nothing to do. `services`: as of the runs. Inside a run it joins that.
   *
   * Throws `invalid_input` for another type, `conflict` for what the crew does not have.
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

  /** What a host runs for this crew. */
  program(): RunProgram<CrewRecord> {
    return {
      run: (scope: RunScope, inputs: JsonObject) => runCrew(scope, this, inputs),
      tasks: this.tasks.map((task, index) => ({
        key: this.taskKeys[index] ?? "",
        name: task.label,
        agent: (this.manager ?? task.agent)?.role ?? "",
      })),
      requiredInputs: this.requiredInputs,
      listeners: this.#listeners,
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
      ...failuresField(record.toolFailures ?? []),
    };
  }
}

/** The manager of a hierarchical crew: its own, or one made from the prompts. */
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
