import type { RunFile } from "../../files/file-ref.ts";
import type { FileSources } from "../../files/started-files.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PreparedAgent } from "../prepared-agent.ts";
import type { TaskExtras } from "./task-brief.ts";
import type { Task } from "./task.ts";

/** A task with the run's inputs filled into its texts. */
export type PreparedTask = PreparedAgent & {
  readonly task: Task;
  readonly key: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly outputFile: string | undefined;
  /** Tools named by the definition, without those for files and coworkers. */
  readonly tools: readonly Tool[];
  /** Coworkers for delegation by its agent. */
  readonly coworkers: readonly PreparedAgent[];
  readonly extras: TaskExtras;
  /** Sources of the task's files. */
  readonly fileSources: FileSources;
  /** Resolved files. @default [] */
  readonly files?: readonly RunFile[];
  /** Tools to read the files not sent to the model. @default [] */
  readonly fileTools?: readonly Tool[];
};
