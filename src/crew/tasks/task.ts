import type * as z from "zod";
import type { Agent } from "../../agent/description/agent.ts";
import { checkMcps } from "../../agent/description/check-agent.ts";
import { partTools, type ToolEntry } from "../../agent/description/check-tools.ts";
import type { McpEntry } from "../../agent/description/mcp-entry.ts";
import {
  checkGuardrails,
  type CheckedGuardrail,
  type Guardrail,
} from "../../agent/description/guardrail.ts";
import { checkHumanInput, type HumanInputOptions } from "../../agent/loop/human-input.ts";
import { outputShape, type OutputSchema } from "../../agent/loop/structured-output.ts";
import { md5Hex } from "../../base/digest.ts";
import { EngineError } from "../../base/error.ts";
import {
  optionNames,
  refuseUnknownOptions,
  type KnownOptions,
} from "../../base/unknown-options.ts";
import { preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Fingerprint } from "../../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
  type SecurityOptions,
} from "../../security/security-config.ts";
import { checkFailurePolicy, type ToolFailurePolicy } from "../../tools/tool-failure.ts";
import type { Tool } from "../../tools/tool.ts";
import type { InputFiles } from "../../files/file-source.ts";
import { readInputFiles, type FileSources } from "../../files/started-files.ts";
import { checkOutputFile } from "./output-file.ts";
import { TASK_OPTION_ADVICE, TASK_OPTION_NAMES } from "./task-option-names.ts";
import type { TaskOutput } from "./task-output.ts";

/** Options of `new Task()`. `description` and `expectedOutput` are required. */
export type TaskOptions<Output extends OutputSchema = OutputSchema> = {
  /** Work of the agent. Inputs fill `{placeholders}` here and in `expectedOutput`. */
  readonly description: string;
  /** Form of a good answer, such as `"Ten bullet points"`. If empty, the prompt does not mention it. */
  readonly expectedOutput: string;
  /** Names the task in outputs, events and step keys. @default derived from the description */
  readonly name?: string;
  /** Agent of the task. Optional in a hierarchical crew. */
  readonly agent?: Agent;
  /** The tools for this task, in place of the agent's. @default the agent's tools */
  readonly tools?: readonly ToolEntry[];
  /** MCP servers with tools for this task, in addition to all others: like `mcps` of agents. @default [] */
  readonly mcps?: readonly McpEntry[];
  /** Tasks whose outputs are added to the prompt; `[]` for none. @default all tasks before this one */
  readonly context?: readonly Task[];
  /** Runs the task in parallel with the next ones, up to the next synchronous task. @default false */
  readonly asyncExecution?: boolean;
  /** The schema of the answer: zod, which also types `output.object`, or JSON Schema. @default free text */
  readonly output?: Output;
  /** Like `output`, without the schema in the prompt if the provider enforces it. Excludes `output`. */
  readonly responseModel?: Output;
  /**
   * Makes the `object` of an answer in code instead of by a model. Called once per answer; its result must fit the schema if
   * there is one.
   */
  readonly converter?: (answer: string, schema: JsonObject | undefined) => unknown;
  /**
   * Check of the answer: a function, or a rule in words for a model to judge. Ignored if `guardrails` is set.
   * @default none
   */
  readonly guardrail?: Guardrail<TaskOutput<OutputOf<Output>>>;
  /** Checks of the answer, in order. @default [] */
  readonly guardrails?:
    | ReadonlyArray<Guardrail<TaskOutput<OutputOf<Output>>>>
    | Guardrail<TaskOutput<OutputOf<Output>>>;
  /** Number of answers each guardrail may reject before the task fails. An integer >= 0. @default 3 */
  readonly guardrailMaxRetries?: number;
  /** Waits for a person to accept each answer, and has the agent revise it until they do. @default false */
  readonly humanInput?: boolean | HumanInputOptions;
  /** Asks for the answer in Markdown. @default false */
  readonly markdown?: boolean;
  /**
   * Path in the file store for the output, such as `"reports/{topic}.md"`: the object as JSON if there is one, else the
   * text. Folders are created.
   * @default none
   */
  readonly outputFile?: string;
  /**
   * Files for the agent, by name, in addition to the run's: paths, ids, URLs, bytes, or values of `file()`. Files of a
   * type the model accepts are in the conversation. The tool `read_file` reads the others.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
  /**
   * Adds the input `crewai_trigger_payload` to the prompt.
   * @default true for the first task of a sequential crew, else false
   */
  readonly allowCrewaiTriggerContext?: boolean;
  /** Failure policy for tools without their own. @default the agent's */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Called once with the output, before the crew's `taskCallback`. @default none */
  readonly callback?: (output: TaskOutput<OutputOf<Output>>) => unknown;
  /** The task's fingerprint, or the seed of one. @default a fingerprint derived from `key` */
  readonly securityConfig?: SecurityOptions;
};

/** Options of `new Task()`, and replacements for CrewAI options it does not have. */
const TASK_OPTIONS: KnownOptions = {
  method: "new Task()",
  code: "invalid_definition",
  known: optionNames<TaskOptions>(TASK_OPTION_NAMES),
  advice: { ...TASK_OPTION_ADVICE, condition: "a task with a condition is a ConditionalTask" },
};

/** One unit of work. A task is a value: it holds no state of a run. */
export class Task<Output extends OutputSchema = OutputSchema> {
  readonly description: string;
  readonly expectedOutput: string;
  readonly name: string | undefined;
  readonly agent: Agent | undefined;
  readonly tools: readonly Tool[] | undefined;
  readonly mcps: readonly McpEntry[];
  readonly context: readonly Task[] | undefined;
  readonly asyncExecution: boolean;
  /** The shape of the answer, from `output` or `responseModel`. */
  readonly output: Output | undefined;
  readonly responseModel: Output | undefined;
  readonly converter: TaskOptions["converter"];
  readonly guardrails: ReadonlyArray<CheckedGuardrail<TaskOutput>>;
  readonly guardrailMaxRetries: number;
  readonly humanInput: HumanInputOptions | undefined;
  readonly markdown: boolean;
  readonly outputFile: string | undefined;
  readonly inputFiles: FileSources;
  readonly allowCrewaiTriggerContext: boolean | undefined;
  readonly toolFailurePolicy: ToolFailurePolicy | undefined;
  readonly callback: TaskOptions["callback"];
  readonly securityConfig: SecurityConfig;
  readonly #hasOwnTools: boolean;
  readonly #options: TaskOptions<Output>;

  /** Throws `invalid_definition` and names the missing or wrong field. */
  constructor(options: TaskOptions<Output>) {
    const { description, expectedOutput }: { description: unknown; expectedOutput: unknown } =
      options;
    if (typeof description !== "string" || description.trim() === "")
      throw invalid(
        `task.description must be a text that is not empty, got ${preview(description)}`,
      );
    if (typeof expectedOutput !== "string")
      throw invalid(`task.expectedOutput must be a text, got ${preview(expectedOutput)}`);
    if ("id" in options)
      throw invalid(
        `may_not_set_field: task "${options.name ?? preview(description, 60)}": a task's id is generated and cannot be set; name it with \`name\``,
      );
    refuseUnknownOptions(options, TASK_OPTIONS, new.target !== Task);
    this.#options = options;
    this.description = options.description;
    this.expectedOutput = options.expectedOutput;
    this.name = options.name;
    this.agent = options.agent;
    const { tools, servers } = partTools(options.tools ?? [], `task "${this.label}"`);
    this.tools = options.tools === undefined ? undefined : tools;
    this.mcps = [...checkMcps(options.mcps, `task "${this.label}"`), ...servers];
    this.#hasOwnTools = tools.length + servers.length > 0;
    this.context = options.context;
    this.asyncExecution = options.asyncExecution ?? false;
    this.output = options.output ?? options.responseModel;
    this.responseModel = options.responseModel;
    this.converter = options.converter;
    this.markdown = options.markdown ?? false;
    this.outputFile =
      options.outputFile === undefined ? undefined : checkOutputFile(options.outputFile);
    this.inputFiles = readInputFiles(options.inputFiles, { owner: `task "${this.label}"` });
    this.allowCrewaiTriggerContext = options.allowCrewaiTriggerContext;
    this.toolFailurePolicy = checkFailurePolicy(options.toolFailurePolicy, `task "${this.label}"`);
    // The callback's argument has the schema's type.
    this.callback = options.callback as TaskOptions["callback"];
    this.securityConfig = securityConfigOf(options.securityConfig);
    if (this.output !== undefined) outputShape(this.output);
    const owner = `task "${this.label}"`;
    if (options.output !== undefined && options.responseModel !== undefined)
      throw invalid(`output_type: ${owner} has both output and responseModel: give it at most one`);
    this.guardrails = guardrailsOf(options, owner);
    this.guardrailMaxRetries = options.guardrailMaxRetries ?? 3;
    if (!Number.isInteger(this.guardrailMaxRetries) || this.guardrailMaxRetries < 0)
      throw invalid(
        `${owner}: guardrailMaxRetries must be an integer >= 0, got ${preview(this.guardrailMaxRetries)}`,
      );
    this.humanInput = checkHumanInput(options.humanInput, owner);
  }

  /**
   * Returns a task with some options changed. It has the same agent, tools and context, which are values; tasks that
   * name this one in their `context` go on to name this one.
   */
  copy<Changed extends OutputSchema = Output>(
    overrides: Partial<TaskOptions<Changed>> = {},
  ): Task<Changed> {
    return new Task<Changed>({
      ...(this.#options as object as TaskOptions<Changed>),
      ...overrides,
    });
  }

  /** The name or, without one, the start of the description. */
  get label(): string {
    return this.name ?? preview(this.description, 60).replaceAll('"', "");
  }

  /** MD5 of `description|expectedOutput`, before placeholders are filled. */
  get key(): string {
    return md5Hex(`${this.description}|${this.expectedOutput}`);
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this, "task");
  }

  /** The tools of its agent for this task. */
  get effectiveTools(): readonly Tool[] {
    return this.#hasOwnTools ? (this.tools ?? []) : (this.agent?.tools ?? []);
  }
}

/** The value as a list. */
function guardrailsOf(
  { guardrail, guardrails, agent }: TaskOptions,
  owner: string,
): Task["guardrails"] {
  const hasModel = agent !== undefined;
  const isList = Array.isArray(guardrails) ? guardrails.length > 0 : guardrails !== undefined;
  if (isList) return checkGuardrails(guardrails, { owner, field: "guardrails", hasModel });
  if (guardrail === undefined) return [];
  return checkGuardrails([guardrail], { owner, field: "guardrail", hasModel });
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}

/** The type of a task's `object`. */
export type OutputOf<Schema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends JsonObject
    ? unknown
    : never;

/** The type of a task's `object` as JSON, before its schema parses it. */
export type RecordOf<Schema> = Schema extends z.ZodType
  ? z.input<Schema> extends JsonValue
    ? z.input<Schema>
    : JsonValue
  : JsonValue;
