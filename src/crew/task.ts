import type * as z from "zod";
import { checkTools, type Agent } from "../agent/agent.ts";
import { outputShape, type OutputSchema } from "../agent/structured-output.ts";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";
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
  /** Called once with the output. @default the crew's `taskCallback` */
  readonly callback?: (output: TaskOutput) => unknown;
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
  readonly output: Output | undefined;
  readonly markdown: boolean;
  readonly outputFile: string | undefined;
  readonly inputFiles: InputFiles;
  readonly allowCrewaiTriggerContext: boolean | undefined;
  readonly callback: TaskOptions["callback"];

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
    this.output = options.output;
    this.markdown = options.markdown ?? false;
    this.outputFile =
      options.outputFile === undefined ? undefined : checkOutputFile(options.outputFile);
    this.inputFiles = checkInputFiles(options.inputFiles, `task "${this.label}"`);
    this.allowCrewaiTriggerContext = options.allowCrewaiTriggerContext;
    this.callback = options.callback;
    if (this.output !== undefined) outputShape(this.output);
  }

  /** The name, or the start of the description where it has none. */
  get label(): string {
    return this.name ?? preview(this.description, 60).replaceAll('"', "");
  }

  /** The tools that its agent is offered for it. */
  get effectiveTools(): readonly Tool[] {
    return this.tools !== undefined && this.tools.length > 0
      ? this.tools
      : (this.agent?.tools ?? []);
  }
}

/** The type of a task's `object`. */
export type OutputOf<Schema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends JsonObject
    ? unknown
    : never;
