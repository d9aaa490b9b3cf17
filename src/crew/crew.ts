import { Agent } from "../agent/agent.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { md5Hex } from "../base/digest.ts";
import { EngineError } from "../base/error.ts";
import type { FileStore } from "../base/file-store.ts";
import type { JsonObject } from "../base/json.ts";
import { placeholders } from "../base/template.ts";
import type { Training } from "../base/training.ts";
import { ListenerPlan } from "../events/listener.ts";
import { RunScope } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { checkHooks } from "../hooks/hook.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-hooks.ts";
import { keySegment } from "../journal/step-key.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import { refuseOtherInputs } from "../runtime/fork.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/local-run.ts";
import type { ResumeRequest, RunHandle } from "../runtime/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { RunStream } from "../runtime/run-stream.ts";
import type { Wait } from "../runtime/run.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
} from "../security/security-config.ts";
import { checkFailurePolicy, failuresField } from "../tools/tool-failure.ts";
import { chatWithCrew, checkChat, type ChatMessage, type ChatReply } from "./chat-crew.ts";
import { checkCrew } from "./check-crew.ts";
import { filesAsInputs, type InputFiles } from "./crew-files.ts";
import type { CrewOptions, Process } from "./crew-options.ts";
import { checkIterations, entryProgram, entryRecord, readEntry, type CrewEntry } from "./entry.ts";
import { checkInputs } from "../base/interpolate.ts";
import {
  allOutputs,
  forEachInput,
  type ForEachOptions,
  type ItemResult,
} from "./kickoff-for-each.ts";
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
  /**
   * Files that agents can read: paths in the file store, by name. Short for inputs of the form `{ "$file": path }`, which go
   * before these.
   */
  readonly inputFiles?: InputFiles;
  /** Where the files of a run in this process are. A run that is joined keeps its own. */
  readonly files?: FileStore;
};

export type TrainOptions = KickoffOptions & {
  /** How often the crew does its tasks. An integer from 1 to 100. */
  readonly iterations: number;
  /** What the training is kept under. @default the crew's `trained` or, without one, its name */
  readonly name?: string;
  /**
   * Says what to change in an answer; called once for each task of each iteration. The answer itself is in the wait's `prompt`.
   * What else the run asks people comes here, too, such as whether a tool may be called: `{ approve: true }`.
   */
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
    const inputs = givenInputs(options);
    const scope = RunScope.current();
    const record =
      scope === undefined
        ? await new LocalRun({ kind: "crew", name: this.name, inputs }, this.program(), {
            services: servicesHere(filesField(options.files)),
          }).outputUnattended()
        : await runCrew(this.#joining(scope, "crew"), this, inputs);
    return this.#typed(record as unknown as CrewRecord);
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
  start(options: KickoffOptions & LocalRunOptions = {}): RunHandle {
    const { begin, local } = this.#beginning(options);
    return new LocalRun(begin, this.program(), local);
  }

  /** Its models' words as they come. The run starts in this process when the stream is first read. */
  stream(options: KickoffOptions & LocalRunOptions = {}): RunStream<CrewOutput<LastOutput<Tasks>>> {
    const { begin, local } = this.#beginning(options);
    const streaming = this.copy({ stream: true });
    return new RunStream(
      () => new LocalRun(begin, streaming.program(), local),
      (output) => this.#typed(output as unknown as CrewRecord),
    );
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
    const { start, origin, rows } = await run.recordBefore({ fromTask });
    refuseOtherInputs(rows, given);
    const { kind, name, entry } = start;
    const again = {
      kind,
      name,
      inputs: given ?? start.inputs,
      origin,
      ...(entry === undefined ? undefined : { entry }),
    };
    const program = entry === undefined ? this.program() : entryProgram(this, readEntry(entry));
    const services = servicesHere(rest.services ?? run.options.services ?? {});
    return new LocalRun(again, program, { ...run.options, ...rest, services, adopt: rows });
  }

  /**
   * Runs the crew some times, has `answer` say what to change in each answer of a task, and makes of that what each agent shall do
   * from now on: the `trained` of a crew. Inside a run it joins that, whose people are asked instead.
   */
  async train({ answer, ...options }: TrainOptions & LocalRunOptions): Promise<Training> {
    const { entry, rest } = this.#training(options);
    const scope = RunScope.current();
    if (scope !== undefined) {
      const plan = { ...entry, inputs: givenInputs(rest) };
      return trainCrew(this.#joining(scope, "train"), this, plan);
    }
    const output = await this.#enter(entry, rest).outputAttended(async (wait) => {
      const said = await answer(wait);
      return typeof said === "string" ? { feedback: said } : said;
    });
    return output as Training;
  }

  /** As `train`, as a run of this process; people answer through its handle. Its output is the `Training`. */
  startTraining(options: Omit<TrainOptions, "answer"> & LocalRunOptions): RunHandle {
    const { entry, rest } = this.#training(options);
    return this.#enter(entry, rest);
  }

  /** Runs the crew some times and has a model score what its tasks give. Inside a run it joins that. */
  async test(options: TestOptions & LocalRunOptions): Promise<TestReport> {
    const { entry, rest } = this.#test(options);
    const scope = RunScope.current();
    if (scope !== undefined) {
      const plan = { ...entry, inputs: givenInputs(rest) };
      return testCrew(this.#joining(scope, "test"), this, plan);
    }
    return (await this.#enter(entry, rest).outputUnattended()) as unknown as TestReport;
  }

  /** As `test`, as a run of this process. Its output is the `TestReport`. */
  startTest(options: TestOptions & LocalRunOptions): RunHandle {
    const { entry, rest } = this.#test(options);
    return this.#enter(entry, rest);
  }

  /** Answers the last message of a conversation; the model that does can have the crew work. Inside a run it joins that. */
  async chat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): Promise<ChatReply> {
    checkChat(messages);
    const scope = RunScope.current();
    if (scope !== undefined) return chatWithCrew(this.#joining(scope, "chat"), this, messages);
    const run = this.#enter({ action: "chat", messages }, options);
    return (await run.outputUnattended()) as ChatReply;
  }

  /** As `chat`, as a run of this process. Its output is the `ChatReply`. */
  startChat(messages: readonly ChatMessage[], options: LocalRunOptions = {}): RunHandle {
    checkChat(messages);
    return this.#enter({ action: "chat", messages }, options);
  }

  #training(options: Omit<TrainOptions, "answer"> & LocalRunOptions) {
    const { iterations, name = trainingName(this), ...rest } = options;
    checkIterations(iterations);
    return { entry: { action: "train", iterations, name } as const, rest };
  }

  #test({ iterations, evalModel, ...rest }: TestOptions & LocalRunOptions) {
    checkIterations(iterations);
    return { entry: { action: "test", iterations, evalModel } as const, rest };
  }

  #enter(entry: CrewEntry, options: KickoffOptions & LocalRunOptions): LocalRun {
    const { begin, local } = this.#beginning(options);
    const start = { ...begin, entry: entryRecord(entry) };
    return new LocalRun(start, entryProgram(this, entry), local);
  }

  /** Where something is done with the crew in a run that is under way. */
  #joining(scope: RunScope, action: "crew" | "train" | "test" | "chat"): RunScope {
    return scopeHere(scope.atNext(`${action}:${keySegment(this.name)}`));
  }

  /** What a host runs for this crew. */
  program(): RunProgram {
    return {
      run: (scope: RunScope, inputs: JsonObject) => runCrew(scope, this, inputs),
      tasks: this.tasks.map((task, index) => ({
        key: this.taskKeys[index] ?? "",
        name: task.label,
        agent: (this.manager ?? task.agent)?.role ?? "",
      })),
      listeners: this.#listeners,
    };
  }

  /** What a run in this process begins with. */
  #beginning(options: KickoffOptions & LocalRunOptions) {
    const { inputs: _, inputFiles: __, files, ...rest } = options;
    const inputs = givenInputs(options);
    const services = servicesHere({ ...filesField(files), ...rest.services });
    return {
      begin: { kind: "crew" as const, name: this.name, inputs },
      local: { ...rest, services },
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

/** The inputs of a run, with the files that it is given among them. Throws `invalid_input`. */
function givenInputs({ inputs = {}, inputFiles }: KickoffOptions): JsonObject {
  checkInputs(inputs);
  return filesAsInputs(inputFiles, inputs);
}

function filesField(files: FileStore | undefined): Pick<RunServices, "files"> {
  return files === undefined ? {} : { files };
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
