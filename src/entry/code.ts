/** Execution of code written by models, in isolation. */
import { boundLoader } from "../cloudflare/code/worker-loader.ts";
import { codePart, type CodeRunnersOptions } from "../code/code-part.ts";
import type { RunnerMaker } from "../code/runners.ts";
import type { Part } from "../parts/part.ts";

/** Tools for running code and shell commands. */
export { runCodeTool as runCode, type RunCodeOptions } from "../code/tools/run-code-tool.ts";
export { shellTool, type ShellToolOptions } from "../code/tools/shell-tool.ts";
/** Code runners for `codeRunners()`; implement `CodeRunner` for a runner of your own. */
export {
  daytona,
  e2b,
  remoteRunner,
  sandbox,
  type GetSandbox,
  type RunnerMaker,
  type RunnerPlace,
} from "../code/runners.ts";
export type { SandboxContainer, SandboxExecution } from "../code/sandbox/sandbox-machines.ts";
export type { CodeRunnersOptions } from "../code/code-part.ts";
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
} from "../code/code-runner.ts";
export type { CodeLanguage } from "../code/code-language.ts";
/** The runners of one tenant, for `services.code` of its runs. */
export { codeService } from "../code/make-code-service.ts";
export type { CodeService, RunnersByLanguage } from "../code/code-service.ts";

/** JavaScript and TypeScript in isolates of their own, with a Worker Loader bound as `LOADER`. */
export function workerLoader(): RunnerMaker {
  return boundLoader;
}

/**
 * Runs code written by models: `defineApp({ code: codeRunners() })`. JavaScript and TypeScript run in the isolates of a
 * Worker Loader, Python and shell text in containers elsewhere. Throws `invalid_definition` for a runner that does not
 * support its language.
 */
export function codeRunners(options: CodeRunnersOptions = {}): Part {
  return codePart(options, { javascript: workerLoader() });
}
