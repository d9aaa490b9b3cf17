// Agents that run code blocks of received messages.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { preview } from "../../base/json.ts";
import type { RunServices } from "../../events/run-services.ts";
import { folderPrefix } from "../../files/workspace.ts";
import type { CodeRunner } from "../../code/code-runner.ts";
import { requireService } from "../../code/code-service.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../../code/run-code.ts";
import { faultOf } from "./check-options.ts";

/** Code execution settings of an agent. */
export type CodeExecutionOptions = {
  /** Runner of the code. @default the deployment's runners */
  readonly runner?: CodeRunner;
  /**
   * Number of latest messages searched for code, newest first. The first message with code is run. `auto`: messages
   * since the last one with a role other than user.
   * @default "auto"
   */
  readonly lastNMessages?: "auto" | number;
  /** Time limit of one block, in milliseconds: 1_000 to 600_000. @default 60_000 */
  readonly timeoutMs?: number;
  /** Folder of the run's workspace for the code's files. @default the workspace itself */
  readonly workDir?: string;
};

/** Checked code execution settings. */
export type CodeExecution = Required<Omit<CodeExecutionOptions, "runner" | "workDir">> &
  Pick<CodeExecutionOptions, "runner" | "workDir"> & {
    /** True if code runs only in deployments with a runner; elsewhere it is treated as text. */
    readonly whereAvailable: boolean;
  };

/** Settings of a preset: code runs only where the deployment has a runner. */
export const WHERE_AVAILABLE: CodeExecutionOptions = Object.freeze({});

const OPTIONS = definitionOptions<CodeExecutionOptions>(
  "codeExecution",
  { runner: true, lastNMessages: true, timeoutMs: true, workDir: true },
  {
    executor: "write runner",
    timeout: "write timeoutMs, in milliseconds",
    useDocker: "leave it out: code runs with the deployment's runner",
  },
);

/** Returns the checked settings. Throws `invalid_definition`. */
export function checkedCodeExecution(
  options: CodeExecutionOptions | false | undefined,
  name: string,
): CodeExecution | undefined {
  if (options === undefined || options === false) return undefined;
  if (typeof options !== "object" || options === null)
    throw faultOf(name, `codeExecution must be an object or false, got ${preview(options)}`);
  refuseUnknownOptions(options, OPTIONS);
  const { lastNMessages = "auto", timeoutMs = DEFAULT_TIMEOUT_MS, runner, workDir } = options;
  if (lastNMessages !== "auto" && !(Number.isInteger(lastNMessages) && lastNMessages >= 0))
    throw faultOf(
      name,
      `codeExecution.lastNMessages must be "auto" or an integer >= 0, got ${preview(lastNMessages)}`,
    );
  if (!(timeoutMs >= 1_000 && timeoutMs <= MAX_TIMEOUT_MS))
    throw faultOf(
      name,
      `codeExecution.timeoutMs must be 1000 to ${MAX_TIMEOUT_MS}, got ${preview(timeoutMs)}`,
    );
  if (runner !== undefined && typeof runner?.run !== "function")
    throw faultOf(name, `codeExecution.runner must be a runner of code, got ${preview(runner)}`);
  return {
    lastNMessages,
    timeoutMs,
    whereAvailable: options === WHERE_AVAILABLE,
    ...(runner === undefined ? undefined : { runner }),
    ...folderOf(workDir, name),
  };
}

/** Returns the prefix of the paths of its files. */
function folderOf(workDir: unknown, name: string): Pick<CodeExecution, "workDir"> {
  if (workDir === undefined) return {};
  try {
    if (typeof workDir === "string") return { workDir: folderPrefix(workDir) };
  } catch {
    // the throw below reports it
  }
  throw faultOf(
    name,
    `codeExecution.workDir must be a folder of the workspace, got ${preview(workDir)}`,
  );
}

/** Throws `invalid_definition` if a member needs code execution and the deployment has no runner. */
export function requireCodeExecution(
  member: { readonly name: string; readonly codeExecution: CodeExecution | undefined },
  services: RunServices,
): void {
  const { codeExecution } = member;
  if (codeExecution === undefined || codeExecution.whereAvailable) return;
  if (codeExecution.runner === undefined)
    requireService(services, `agent "${member.name}", which has codeExecution,`);
}
