import type { Agent } from "../agent/agent.ts";
import type { KnowledgeFields } from "../knowledge/knowledge-view.ts";
import type { MemoryOption } from "../memory/memory-service.ts";
import type { PromptOverrides } from "../agent/prompts.ts";
import type { SkillSource } from "../agent/skills/skill.ts";
import type { StepCallback } from "../agent/step-callback.ts";
import type { JsonObject } from "../base/json.ts";
import type { Training } from "../base/training.ts";
import type { SecurityOptions } from "../security/security-config.ts";
import type { Listeners } from "../events/listener.ts";
import type { Hook } from "../hooks/hook.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { InputFiles } from "./crew-files.ts";
import type { Task } from "./task.ts";
import type { CrewOutput, TaskOutput } from "./task-output.ts";

export type Process = "sequential" | "hierarchical";

export type CrewOptions<Tasks extends readonly Task[] = readonly Task[]> = KnowledgeFields & {
  /** @default "crew" */
  readonly name?: string;
  readonly agents?: readonly Agent[];
  /** Values of inputs that a run does not give. */
  readonly inputs?: JsonObject;
  /** Done in this order. */
  readonly tasks: Tasks;
  /**
   * `sequential`: each task by its agent. `hierarchical`: every task by a manager, who gives work to the agents, or only to the
   * task's own agent where it has one.
   * @default "sequential"
   */
  readonly process?: Process;
  /** Hierarchical: the model of a manager made from the prompts. */
  readonly managerLlm?: ModelSpec;
  /** Hierarchical: a manager of your own, without tools and not among `agents`. Goes before `managerLlm`. */
  readonly managerAgent?: Agent;
  /** Has all tasks planned before the first one starts. @default false */
  readonly planning?: boolean;
  /** The planner's model. @default the environment's model */
  readonly planningLlm?: ModelSpec;
  /** Files that all agents can read: paths in the file store, by name. Those that a run or a task gives go before these. */
  readonly inputFiles?: InputFiles;
  /**
   * Writes what was done into a file of the file store: `true` is `logs.txt`, a name in neither `.json` nor `.txt` gets `.txt`.
   * May hold `{placeholders}`.
   * @default false
   */
  readonly outputLogFile?: boolean | string;
  /** Taken, and without effect: a run's events tell everything. */
  readonly verbose?: boolean;
  /** Lets agents reuse the results of equal tool calls within one run. @default false */
  readonly cache?: boolean;
  /** Model calls per minute of all agents together that have no limit of their own. Integer >= 1. @default no limit */
  readonly maxRpm?: number;
  /** No model call is made once the run has spent this much, in US dollars. */
  readonly maxCostUsd?: number;
  /** No model call is made once the run has used this many tokens. */
  readonly maxTokens?: number;
  /** Sends the models' words to whoever listens as they come. @default false */
  readonly stream?: boolean;
  /** Replaces texts that are said to models, for all agents; an agent's own come on top. */
  readonly prompts?: PromptOverrides;
  /**
   * What people taught the crew: the name it is kept under, `true` for the crew's own name, or what `train()` gave. A name that
   * nothing is kept under teaches nothing.
   * @default false
   */
  readonly trained?: boolean | string | Training;
  /** The model that `chat()` talks with. @default the environment's model */
  readonly chatLlm?: ModelSpec;
  /** Each gets the inputs and returns those that count. Called once per run, also when it is replayed. */
  readonly beforeKickoff?: ReadonlyArray<(inputs: JsonObject) => JsonObject | Promise<JsonObject>>;
  /** Each gets the output, with its objects as plain JSON, and returns the one that counts. Called once per run. */
  readonly afterKickoff?: ReadonlyArray<(output: CrewOutput) => CrewOutput | Promise<CrewOutput>>;
  /** Code that steps in; see `on()`. Comes after the app's hooks and before an agent's. */
  readonly hooks?: readonly Hook[];
  /** What happens when a tool fails, where neither the tool, the task nor the agent says. @default "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** For tasks without a callback of their own. */
  readonly taskCallback?: (output: TaskOutput) => unknown;
  /** For agents without a callback of their own. */
  readonly stepCallback?: StepCallback;
  /** Written know-how for all agents; of two with one name an agent's own counts. At least one. */
  readonly skills?: readonly SkillSource[];
  /** Its fingerprint, or the seed of one. @default a fingerprint that follows from `key` */
  readonly securityConfig?: SecurityOptions;
  /**
   * What its agents remember from run to run, those that have no memory of their own: a `Memory` of `edgecrew/memory` or a part of
   * one; `true`, or settings, for one that the deployment makes and keeps at `/crew/<name>`.
   * @default none
   */
  readonly memory?: MemoryOption | undefined;
  /** Hear of what happens in its runs; see `listen()`. Errors of theirs harm no run. */
  readonly listeners?: Listeners;
};
