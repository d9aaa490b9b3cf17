import type * as z from "zod";
import { checkTools, type Agent } from "../agent/agent.ts";
import { checkGuardrails, type CheckedGuardrail, type Guardrail } from "../agent/guardrail.ts";
import { checkHumanInput, type HumanInputOptions } from "../agent/human-input.ts";
import { outputShape, type OutputSchema } from "../agent/structured-output.ts";
import { md5Hex } from "../base/digest.ts";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
import type { Fingerprint } from "../security/fingerprint.ts";
import {
  fingerprintOf,
  securityConfigOf,
  type SecurityConfig,
  type SecurityOptions,
} from "../security/security-config.ts";
import { checkFailurePolicy, type ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { Tool } from "../tools/tool.ts";
import { checkInputFiles, type InputFiles } from "./crew-files.ts";
import { checkOutputFile } from "./output-file.ts";
import type { TaskOutput } from "./task-output.ts";

export type TaskOptions<Output extends OutputSchema = OutputSchema> = {
  /** `{placeholders}` here and in `expectedOutput` are filled from the run's inputs. */
  readonly description: string;
  readonly expectedOutput: string;
  /** Names the task in outputs and step keys. @default made from the description */
  readonly name?: string;
  readonly agent?: Agent;
  /** Replace the agent's tools for this task. */
  readonly tools?: readonly Tool[];
  /** Tasks whose outputs this one is given; an empty list for none. @default all before it */
  readonly context?: readonly Task[];
  /** Starts beside what follows; gathered before the next task that is not asynchronous. @default false */
  readonly asyncExecution?: boolean;
  /** The shape of the answer: a zod schema, or a JSON Schema. */
  readonly output?: Output;
  /** As `output`, which it excludes, but the schema is left out of the prompt where the model is held to it by other means. */
  readonly responseModel?: Output;
  /** Makes the `object` of the answer, in the model's stead. Called once for each answer; must fit the schema, if there is one. */
  readonly converter?: (answer: string, schema: JsonObject | undefined) => unknown;
  /** What the answer has to pass: a function, or a rule in words that a model judges. Ignored when there are `guardrails`. */
  readonly guardrail?: Guardrail<TaskOutput>;
  /** As `guardrail`, several in a chain. */
  readonly guardrails?: ReadonlyArray<Guardrail<TaskOutput>> | Guardrail<TaskOutput>;
  /** How often each guardrail may have the task done again. Integer >= 0. @default 3 */
  readonly guardrailMaxRetries?: number;
  /** A person reads each answer, and has it changed until they are content. @default false */
  readonly humanInput?: boolean | HumanInputOptions;
  /** Asks for Markdown. @default false */
  readonly markdown?: boolean;
  /**
   * Where the output is written in the run's file store: the object as JSON where there is one, else the text. May hold
   * `{placeholders}`; folders need not exist.
   */
  readonly outputFile?: string;
  /** Files that the agent can read with the tool `read_file`: paths in the file store, by name. Come on top of the run's. */
  readonly inputFiles?: InputFiles;
  /**
   * Whether the task is told the input `crewai_trigger_payload`.
   * @default only the first task of a sequential crew is
   */
  readonly allowCrewaiTriggerContext?: boolean;
  /** What happens when a tool without a policy of its own fails. @default the agent's */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Called once with the output. @default the crew's `taskCallback` */
  readonly callback?: (output: TaskOutput) => unknown;
  /** Its fingerprint, or the seed of one. @default a fingerprint that follows from `key` */
  readonly securityConfig?: SecurityOptions;
};

/** One unit of work. Holds no state of any run. */
export class Task<Output extends OutputSchema = OutputSchema> {
  readonly description: string;
  readonly expectedOutput: string;
  readonly name: string | undefined;
  readonly agent: Agent | undefined;
  readonly tools: readonly Tool[] | undefined;
  readonly context: readonly Task[] | undefined;
  readonly asyncExecution: boolean;
  /** The shape of the answer, as `output` or `responseModel` gave it. */
  readonly output: Output | undefined;
  readonly responseModel: Output | undefined;
  readonly converter: TaskOptions["converter"];
  readonly guardrails: ReadonlyArray<CheckedGuardrail<TaskOutput>>;
  readonly guardrailMaxRetries: number;
  readonly humanInput: HumanInputOptions | undefined;
  readonly markdown: boolean;
  readonly outputFile: string | undefined;
  readonly inputFiles: InputFiles;
  readonly allowCrewaiTriggerContext: boolean | undefined;
  readonly toolFailurePolicy: ToolFailurePolicy | undefined;
  readonly callback: TaskOptions["callback"];
  readonly securityConfig: SecurityConfig;

  /** Throws `invalid_definition` naming the field that is missing or wrong. */
  constructor(options: TaskOptions<Output>) {
    for (const field of ["description", "expectedOutput"] as const) {
      const value: unknown = options[field];
      if (typeof value !== "string" || value.trim() === "") {
        throw new EngineError(
          "invalid_definition",
          `task.${field} must be a text that is not empty, got ${preview(value)}`,
        );
      }
    }
    this.description = options.description;
    this.expectedOutput = options.expectedOutput;
    this.name = options.name;
    this.agent = options.agent;
    this.tools =
      options.tools === undefined ? undefined : checkTools(options.tools, `task "${this.label}"`);
    this.context = options.context;
    this.asyncExecution = options.asyncExecution ?? false;
    this.output = options.output ?? options.responseModel;
    this.responseModel = options.responseModel;
    this.converter = options.converter;
    this.markdown = options.markdown ?? false;
    this.outputFile =
      options.outputFile === undefined ? undefined : checkOutputFile(options.outputFile);
    this.inputFiles = checkInputFiles(options.inputFiles, `task "${this.label}"`);
    this.allowCrewaiTriggerContext = options.allowCrewaiTriggerContext;
    this.toolFailurePolicy = checkFailurePolicy(options.toolFailurePolicy, `task "${this.label}"`);
    this.callback = options.callback;
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

  /** The name, or the start of the description where it has none. */
  get label(): string {
    return this.name ?? preview(this.description, 60).replaceAll('"', "");
  }

  /** MD5 of `description|expectedOutput`, as they were written. */
  get key(): string {
    return md5Hex(`${this.description}|${this.expectedOutput}`);
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this, "task");
  }

  /** The tools that its agent is offered for it. */
  get effectiveTools(): readonly Tool[] {
    return this.tools !== undefined && this.tools.length > 0
      ? this.tools
      : (this.agent?.tools ?? []);
  }
}

/** The list, or the one that stands alone. */
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
