import type { Agent } from "../agent/description/agent.ts";
import type { McpEntry } from "../agent/description/mcp-entry.ts";
import type { KnowledgeFields } from "../knowledge/knowledge-view.ts";
import type { MemoryOption } from "../memory/memory-service.ts";
import type { PromptOverrides } from "../agent/prompts/prompts.ts";
import type { SkillSource } from "../agent/skills/read-skill.ts";
import type { StepCallback } from "../agent/loop/step-callback.ts";
import type { JsonObject } from "../base/json.ts";
import type { SecurityOptions } from "../security/security-config.ts";
import type { Listeners } from "../events/listener.ts";
import type { Hook } from "../hooks/hook.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { InputFiles } from "../files/file-source.ts";
import type { InputSchema } from "./crew-inputs.ts";
import type { Task } from "./tasks/task.ts";
import type { CrewOutput, TaskOutput } from "./tasks/task-output.ts";
import type { Training } from "./actions/training.ts";

/** `sequential`: the tasks in their order. `hierarchical`: a manager hands them to the agents. */
export type Process = "sequential" | "hierarchical";

/** Options of `new Crew()`. Only `tasks` is required. */
export type CrewOptions<
  Tasks extends readonly Task[] = readonly Task[],
  Schema extends InputSchema = InputSchema,
> = KnowledgeFields & {
  /** Names the crew in events and step keys. @default "crew" */
  readonly name?: string;
  /** The crew's agents. @default the agents of its tasks */
  readonly agents?: readonly Agent[];
  /** Default values of inputs. @default {} */
  readonly inputs?: JsonObject;
  /**
   * Schema of the inputs: of an object, as zod or as JSON Schema. Kickoffs are checked against it before the run
   * starts, and its defaults are filled in. Inputs the schema does not name pass.
   * @default none: the inputs are the placeholders of the texts
   */
  readonly inputSchema?: Schema;
  /** The tasks, in the order in which they are done. */
  readonly tasks: Tasks;
  /**
   * `sequential`: each task is done by its agent. `hierarchical`: a manager does every task by delegating to the agents, or only
   * to the task's own agent if it has one.
   * @default "sequential"
   */
  readonly process?: Process;
  /** Hierarchical: the model of the built-in manager. */
  readonly managerLlm?: ModelSpec;
  /** Hierarchical: a manager of your own, without tools and not among `agents`. Takes precedence over `managerLlm`. */
  readonly managerAgent?: Agent;
  /** Plans all tasks before the first one starts. @default false */
  readonly planning?: boolean;
  /** Planning model. @default the model named by the environment */
  readonly planningLlm?: ModelSpec;
  /** Model for the conversion of answers to output schemas, for agents without their own. @default the agent's `llm` */
  readonly functionCallingLlm?: ModelSpec;
  /**
   * Files for all agents, by name: paths, ids, URLs, bytes, or values of `file()`. Files of a run or a task take
   * precedence.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /**
   * Writes a log of the tasks to the file store. `true` is `logs.txt`; a name without `.json` or `.txt` gets `.txt`;
   * `{placeholders}` are filled in.
   * @default false
   */
  readonly outputLogFile?: boolean | string;
  /**
   * Workspace for files of tools and code: `"run"` is the workspace of each run, deleted with it; `{ name }` is a
   * permanent workspace shared by all runs of crews with this name.
   * @default that of the run
   */
  readonly workspace?: "run" | { readonly name: string };
  /** Accepted and ignored: the events of a run have everything. */
  readonly verbose?: boolean;
  /** Reuses the result of an equal tool call within one run. @default false */
  readonly cache?: boolean;
  /** Model calls per minute of all agents without their own limit, together. An integer >= 1. @default no limit */
  readonly maxRpm?: number;
  /** The run makes no further model call once it has spent this many US dollars. @default no limit */
  readonly maxCostUsd?: number;
  /** The run makes no further model call once it has used this many tokens. @default no limit */
  readonly maxTokens?: number;
  /** Sends the tokens of models as live events while they arrive. @default false */
  readonly stream?: boolean;
  /** Replaces single texts of `DEFAULT_PROMPTS` for all agents. An agent's own take precedence. @default {} */
  readonly prompts?: PromptOverrides;
  /**
   * Training of the crew with `train()`: the name of a stored training, `true` for the crew's own name, or the training
   * itself. An unknown name has no effect.
   * @default false
   */
  readonly trained?: boolean | string | Training;
  /** Model for `chat()`. @default the model named by the environment */
  readonly chatLlm?: ModelSpec;
  /**
   * Functions to change the inputs, called in order. Each is called once per run, also in replay.
   * @default []
   */
  readonly beforeKickoff?: ReadonlyArray<(inputs: JsonObject) => JsonObject | Promise<JsonObject>>;
  /**
   * Functions to change the output, called in order; its objects are plain JSON here. Each is called once per run.
   * @default []
   */
  readonly afterKickoff?: ReadonlyArray<(output: CrewOutput) => CrewOutput | Promise<CrewOutput>>;
  /** Hooks of this crew, called after those of the app and before an agent's; see `on()`. @default [] */
  readonly hooks?: readonly Hook[];
  /** Failure policy for tools, if neither the tool, the task nor the agent has one. @default "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Called with the output of each task, after the task's own `callback`. A function in both places is called once. */
  readonly taskCallback?: (output: TaskOutput) => unknown;
  /** `stepCallback` of agents without their own. */
  readonly stepCallback?: StepCallback;
  /** Skills of all agents. An agent's own skill of the same name takes precedence. At least one. @default none */
  readonly skills?: readonly SkillSource[];
  /** The crew's fingerprint, or the seed of one. @default a fingerprint derived from `key` */
  readonly securityConfig?: SecurityOptions;
  /**
   * Memory across runs, for agents without their own: a `Memory` of `edgecrew/memory` or a part of one; `true`, or
   * settings, for one made and stored by the deployment at `/crew/<name>`.
   * @default none
   */
  readonly memory?: MemoryOption | undefined;
  /** MCP servers with tools for all agents, in addition to their own: like `mcps` of agents. @default [] */
  readonly mcps?: readonly McpEntry[];
  /** Called for the events of its runs; see `onEvent()`. Their errors do not affect the run. @default [] */
  readonly listeners?: Listeners;
};
