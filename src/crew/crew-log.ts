import type { RunScope } from "../events/run-scope.ts";
import { isoTime } from "../base/clock.ts";
import { fileStoreFor, writeText } from "./crew-files.ts";
import { checkFilePath } from "../files/file-path.ts";

/** `true` is `logs.txt`; a name without `.json` or `.txt` gets `.txt`. */
export function logPathOf(setting: true | string): string {
  if (setting === true) return "logs.txt";
  const path = checkFilePath(setting, { field: "outputLogFile", code: "invalid_definition" });
  return /\.(json|txt)$/.test(path) ? path : `${path}.txt`;
}

type Entry = Readonly<Record<"timestamp" | "task_name" | "task" | "agent" | "status", string>> & {
  readonly output?: string;
};

export type LoggedTask = {
  /** The task's key, as in its step key. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly agentRole: string;
};

/**
 * Log file of one run, with two entries for each task: its start and its completion. Each completed task writes the
 * whole file without reading it, so the file has the log of the last writing run.
 */
export class CrewLog {
  readonly #scope: RunScope;
  readonly #path: string;
  readonly #entries: Entry[] = [];

  /** Throws when the run has no file store. */
  constructor(scope: RunScope, path: string) {
    fileStoreFor(scope, `outputLogFile is "${path}"`);
    this.#scope = scope;
    this.#path = path;
  }

  started(task: LoggedTask): void {
    this.#note(task, "started");
  }

  async completed(task: LoggedTask, output: string): Promise<void> {
    this.#note(task, "completed", output);
    await writeText(this.#placeOf(task).at("write"), {
      path: this.#path,
      what: `outputLogFile is "${this.#path}"`,
      text: this.#path.endsWith(".json")
        ? `${JSON.stringify(this.#entries, null, 2)}\n`
        : this.#entries.map(lineOf).join(""),
    });
  }

  #note(task: LoggedTask, status: "started" | "completed", output?: string): void {
    const atMs = this.#placeOf(task).at(status).now();
    this.#entries.push({
      timestamp: isoTime(atMs).slice(0, 19).replace("T", " "),
      task_name: task.name,
      task: task.description,
      agent: task.agentRole,
      status,
      ...(output === undefined ? undefined : { output }),
    });
  }

  #placeOf({ key }: LoggedTask): RunScope {
    return this.#scope.at(key.replace(/^task:/, "log:"));
  }
}

function lineOf({ timestamp, ...fields }: Entry): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${timestamp}: ${pairs.join(", ")}\n`;
}
