// Runners of a deployment, as runs find them.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Tool } from "../tools/tool.ts";
import type { CodeLanguage } from "./code-language.ts";
import type { CodeRunner } from "./code-runner.ts";

/** Runs the code of a tenant's runs. */
export interface CodeService {
  /** All runners, without duplicates. */
  readonly runners: readonly CodeRunner[];
  /** Returns the runner of this language, or undefined without one. */
  runner(language: CodeLanguage): CodeRunner | undefined;
  /** Returns the tool for agents with `allowCodeExecution`. Undefined without any runner. */
  readonly tool: () => Tool | undefined;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Runs code written by models. Absent if the deployment runs no code. */
    readonly code?: CodeService;
  }
}

const NEEDS: Readonly<Record<CodeLanguage, string>> = {
  javascript: "bind a Worker Loader as LOADER",
  typescript: "bind a Worker Loader as LOADER",
  python: "bind SANDBOX, or set E2B_API_KEY, DAYTONA_API_KEY or EDGECREW_RUNNER_URL",
  bash: "bind SANDBOX, or set E2B_API_KEY, DAYTONA_API_KEY or EDGECREW_RUNNER_URL",
};

/**
 * Returns the runner of a language. Throws `invalid_definition`, with the language and its owner, if there is no
 * runner.
 */
export function requireRunner(
  { code }: RunServices,
  language: CodeLanguage,
  owner = "run_code",
): CodeRunner {
  if (code === undefined) throw withoutService(`${owner} needs a runner for ${language}`);
  const runner = code.runner(language);
  if (runner !== undefined) return runner;
  throw invalidDefinition(`${owner} needs a runner for ${language}: ${NEEDS[language]}`);
}

/** Throws `invalid_definition` if the deployment runs no code at all. */
export function requireService({ code }: RunServices, owner: string): void {
  if (code === undefined) throw withoutService(`${owner} needs a code runner`);
}

function withoutService(what: string): Error {
  return invalidDefinition(
    `${what}: pass codeRunners() of edgecrew/code to defineApp({ code }), or codeService() as services.code of the run`,
  );
}

/** Runner for each language. The JavaScript runner also runs TypeScript. */
export type RunnersByLanguage = {
  readonly [Language in Exclude<CodeLanguage, "typescript">]?: CodeRunner | undefined;
};

/** Throws `invalid_definition` if the value is no runner of this language. */
export function checkRunner(runner: unknown, language: CodeLanguage): CodeRunner {
  const { languages, run } = (runner ?? {}) as Partial<CodeRunner>;
  if (typeof run !== "function" || !Array.isArray(languages))
    throw invalidDefinition(
      `codeRunners: ${language} must be a runner, such as e2b() or workerLoader(), got ${preview(runner)}`,
    );
  if (!languages.includes(language))
    throw invalidDefinition(
      `codeRunners: ${language} has a runner that runs ${languages.join(", ")} alone`,
    );
  return runner as CodeRunner;
}
