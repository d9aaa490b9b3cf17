import type { Agent } from "../agent/agent.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { md5Hex } from "../base/digest.ts";
import type { JsonObject } from "../base/json.ts";
import { placeholders } from "../base/template.ts";
import { ListenerPlan } from "../events/listener.ts";
import { RunScope } from "../events/run-scope.ts";
import { checkHooks } from "../hooks/hook.ts";
import { scopeHere, servicesHere } from "../hooks/scoped-hooks.ts";
import { keySegment } from "../journal/step-key.ts";
import { LocalRun, type LocalRunOptions } from "../runtime/local-run.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import { RunStream } from "../runtime/run-stream.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
} from "../security/security-config.ts";
import { checkFailurePolicy, failuresField } from "../tools/tool-failure.ts";
import { checkCrew } from "./check-crew.ts";
import type { CrewOptions } from "./crew-options.ts";
import { checkInputs } from "./interpolate.ts";
import {
  allOutputs,
  forEachInput,
  type ForEachOptions,
  type ItemResult,
} from "./kickoff-for-each.ts";
import { runCrew } from "./run-crew.ts";
import type { OutputOf, Task } from "./task.ts";
import { taskKeys } from "./task-keys.ts";
import { typedOutput, type CrewOutput, type CrewRecord } from "./task-output.ts";

export type KickoffOptions = {
  /** Values for the `{placeholders}` in tasks and agents. */
  readonly inputs?: JsonObject;
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
    this.agents = [
      ...new Set([...(options.agents ?? []), ...options.tasks.flatMap((task) => task.agent ?? [])]),
    ];
    this.prompts = mergePrompts(options.prompts ?? {});
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
        ? await new LocalRun({ kind: "crew", name: this.name, inputs }, this.program(), {
            services: servicesHere(undefined),
          }).outputUnattended()
        : await runCrew(scopeHere(scope.atNext(`crew:${keySegment(this.name)}`)), this, inputs);
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
    const { inputs = {}, ...rest } = options;
    checkInputs(inputs);
    const services = servicesHere(rest.services);
    return new LocalRun({ kind: "crew", name: this.name, inputs }, this.program(), {
      ...rest,
      services,
    });
  }

  /** Its models' words as they come. The run starts in this process when the stream is first read. */
  stream(options: KickoffOptions & LocalRunOptions = {}): RunStream<CrewOutput<LastOutput<Tasks>>> {
    const { inputs = {}, ...rest } = options;
    checkInputs(inputs);
    const begin = { kind: "crew", name: this.name, inputs } as const;
    const streaming = new Crew<Tasks>({ ...this.options, stream: true });
    const services = servicesHere(rest.services);
    return new RunStream(
      () => new LocalRun(begin, streaming.program(), { ...rest, services }),
      (output) => this.#typed(output as unknown as CrewRecord),
    );
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
