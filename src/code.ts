/** Code that models write, run where it can do no harm. */
import { boundLoader } from "./cloudflare/code/worker-loader.ts";
import { codePart, type CodeRunnersOptions } from "./code/code-part.ts";
import type { RunnerMaker } from "./code/runners.ts";
import type { Part } from "./parts/part.ts";

/** Tools that run code and shell commands. */
export { runCodeTool as runCode, type RunCodeOptions } from "./code/tools/run-code-tool.ts";
export { shellTool, type ShellToolOptions } from "./code/tools/shell-tool.ts";
/** What runs code, for `codeRunners()`; implement `CodeRunner` for a runner of your own. */
export {
  daytona,
  e2b,
  remoteRunner,
  sandbox,
  type GetSandbox,
  type RunnerMaker,
  type RunnerPlace,
} from "./code/runners.ts";
export type { SandboxContainer, SandboxExecution } from "./code/sandbox/sandbox-machines.ts";
export type { CodeRunnersOptions } from "./code/code-part.ts";
export type {
  CodeFault,
  CodeFile,
  CodeJob,
  CodeNetwork,
  CodeResult,
  CodeRunner,
  CodeSession,
  CodeToolAnswer,
  CodeTools,
} from "./code/code-runner.ts";
export type { CodeLanguage } from "./code/code-language.ts";
/** The runners of one tenant, for `services.code` of its runs. */
export { codeService } from "./code/make-code-service.ts";
export type { CodeService, RunnersByLanguage } from "./code/code-service.ts";

/** JavaScript and TypeScript in isolates of their own, where a Worker Loader is bound as `LOADER`. */
export function workerLoader(): RunnerMaker {
  return boundLoader;
}

/**
 * Runs the code that models write: `defineApp({ code: codeRunners() })`. JavaScript and TypeScript run in the isolates of a Worker
 * Loader, Python and shell text in containers elsewhere. Throws `invalid_definition` for what runs no code of its language.
 */
export function codeRunners(options: CodeRunnersOptions = {}): Part {
  return codePart(options, { javascript: workerLoader() });
}
