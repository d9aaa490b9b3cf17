// Runs one piece of code within the limits of its run.
//
//   COD1. Code in an unknown language, and empty, too long or refused code does not run.
//   COD2. A run may run 50 pieces of code, for 10 minutes in all, two at once.
//   COD3. Only an unavailable runner is tried again. If the outcome of code is unknown, the error is `outcome_unknown`.
//   COD4. Results of every runner have limits: characters of output, files, bytes. Files stay in the run's workspace.
import { EngineError, errorMessage } from "../base/error.ts";
import type { RetryPolicy } from "../base/retry.ts";
import { sleep } from "../base/clock.ts";
import type { RunScope } from "../events/run-scope.ts";
import { workspacePath } from "../files/workspace.ts";
import { CodeBudget } from "./code-budget.ts";
import { codeLanguage, type CodeLanguage } from "./code-language.ts";
import {
  codeFailure,
  EXIT,
  MAX_OUTPUT_CHARS,
  type CodeJob,
  type CodeResult,
  type CodeRunner,
} from "./code-runner.ts";
import { requireRunner } from "./code-service.ts";
import { sessionOf } from "./code-sessions.ts";
import { quietPip, shellRefusal } from "./shell-text.ts";

/** Request for a piece of code. */
export type CodeRequest = Omit<
  CodeJob,
  "language" | "session" | "idempotencyKey" | "maxOutputChars" | "network" | "timeoutMs"
> & {
  /** Name as written: `py`, `Python`, `ruby`. */
  readonly language: string;
  readonly timeoutMs?: number | undefined;
  readonly network?: CodeJob["network"];
  /** Session name. Code of the run with the same name shares a working directory. */
  readonly session?: string | undefined;
  /** Takes precedence over the deployment's runners. */
  readonly runner?: CodeRunner | undefined;
  /** Name of the caller, for errors about missing runners. @default "run_code" */
  readonly owner?: string;
  /** Effect of a language without a runner: an error of the definition, or exit code 2. @default "throw" */
  readonly lacking?: "throw" | "exit";
};

/** Step that runs a piece of code. */
export type CodeStep = { readonly signal: AbortSignal; readonly idempotencyKey: string };

export const DEFAULT_TIMEOUT_MS = 60_000;
export const MAX_TIMEOUT_MS = 600_000;
const MAX_CODE_CHARS = 1024 * 1024;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 25_000_000;
/** Extra time for a runner to report that its time is over. */
const GRACE_MS = 30_000;

/**
 * Runs a piece of code in the current step. Throws `invalid_definition` if the language has no runner, `limit_exceeded`
 * if the run's budget for code is used up, and `unavailable`, which is worth a retry.
 */
export async function runCode(
  scope: RunScope,
  request: CodeRequest,
  step: CodeStep,
): Promise<CodeResult> {
  const { code } = request;
  const language = codeLanguage(request.language);
  if (language === undefined)
    return codeFailure(
      EXIT.failed,
      request.language === ""
        ? "the code names no language"
        : `unknown language ${request.language}`,
    );
  if (code.trim() === "") return codeFailure(EXIT.notEnabled, "there is no code to run");
  if (code.length > MAX_CODE_CHARS)
    return codeFailure(EXIT.failed, `the code is longer than ${MAX_CODE_CHARS} characters`, {
      error: "limit",
    });
  const refusal = language === "bash" ? shellRefusal(code) : undefined;
  if (refusal !== undefined)
    return codeFailure(EXIT.refused, `refused: ${refusal}`, { error: "refused" });
  const runner = runnerOf(scope, request, language);
  if ("exitCode" in runner) return runner;
  const { idempotencyKey } = step;
  const job = jobOf(scope, request, { language, idempotencyKey, runner });
  const budget = CodeBudget.of(scope);
  const result = await budget.spend(scope, job.timeoutMs, (timeoutMs) =>
    inTime(scope, runner, { job: { ...job, timeoutMs }, signal: step.signal }),
  );
  if (result.error === "unavailable")
    throw new EngineError("unavailable", `the code was not run: ${result.stderr}`, {
      retryable: true,
      unsent: true,
    });
  return bounded(result);
}

/**
 * True for languages that run outside of an isolate. An isolate leaves no effects behind; the effects of other code are
 * unknown.
 */
export function isCodeOutside(language: CodeLanguage): boolean {
  return language === "python" || language === "bash";
}

/** Retries of an unavailable runner. */
export const RUNNER_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  maxDelayMs: 10_000,
  maxRetryAfterMs: 60_000,
};

/** Returns the runner, or the result of code without one. */
function runnerOf(
  { services }: RunScope,
  { runner, owner, lacking }: CodeRequest,
  language: CodeLanguage,
): CodeRunner | CodeResult {
  if (runner?.languages.includes(language) === true) return runner;
  if (runner === undefined && lacking !== "exit") return requireRunner(services, language, owner);
  const known = runner === undefined ? services.code?.runner(language) : undefined;
  return known ?? codeFailure(EXIT.notEnabled, `${language} is not enabled here`);
}

function jobOf(
  scope: RunScope,
  request: CodeRequest,
  {
    language,
    idempotencyKey,
    runner,
  }: Pick<CodeJob, "language" | "idempotencyKey"> & { readonly runner: CodeRunner },
): CodeJob {
  const { code, timeoutMs = DEFAULT_TIMEOUT_MS, session, network = false, ...rest } = request;
  const { runner: _1, owner: _2, lacking: _3, ...about } = rest;
  return {
    ...about,
    language,
    code: language === "bash" || language === "python" ? quietPip(code) : code,
    idempotencyKey,
    timeoutMs: Math.min(Math.max(timeoutMs, 1_000), MAX_TIMEOUT_MS),
    maxOutputChars: MAX_OUTPUT_CHARS,
    network,
    ...(session === undefined ? undefined : { session: sessionOf(scope, session, runner) }),
  };
}

/** Returns the result in time, even if the runner ignores the time limit. */
async function inTime(
  { clock }: RunScope,
  runner: CodeRunner,
  { job, signal }: { readonly job: CodeJob; readonly signal: AbortSignal },
): Promise<CodeResult> {
  const startedAtMs = clock.now();
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const late = sleep(clock, job.timeoutMs + GRACE_MS, both).then(
    () => codeFailure(EXIT.timeout, "", { error: "timeout" }),
    () => new Promise<never>(() => {}), // it ended otherwise
  );
  try {
    const result = await Promise.race([runner.run(job, both), late]);
    return { ...result, durationMs: clock.now() - startedAtMs };
  } catch (error) {
    signal.throwIfAborted();
    if (EngineError.is(error)) throw error;
    throw new EngineError(
      "tool_failed",
      `the runner of ${job.language} failed: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    over.abort();
  }
}

/** Cuts a result to the limits (COD4). */
function bounded(result: CodeResult): CodeResult {
  const { stdout, stderr, files, truncatedChars } = result;
  const kept = [];
  const refused: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const path = pathOf(file.path);
    if (
      path === undefined ||
      kept.length >= MAX_FILES ||
      bytes + file.bytes.length > MAX_FILE_BYTES
    ) {
      refused.push(file.path);
      continue;
    }
    bytes += file.bytes.length;
    kept.push({ path, bytes: file.bytes });
  }
  const said =
    refused.length === 0
      ? ""
      : `${stderr === "" || stderr.endsWith("\n") ? "" : "\n"}Files left out: ${refused.slice(0, 5).join(", ")}${refused.length > 5 ? " and others" : ""}\n`;
  const [out, err] = [beginning(stdout), beginning(stderr)];
  const lost = stdout.length - out.length + (stderr.length - err.length);
  return {
    ...result,
    stdout: out,
    stderr: err + said,
    truncatedChars: truncatedChars + lost,
    files: kept,
  };
}

/** Cuts output, with room for the notes that a runner adds at its end. */
function beginning(text: string): string {
  return text.slice(0, MAX_OUTPUT_CHARS + 10_000).toWellFormed();
}

function pathOf(path: string): string | undefined {
  try {
    return workspacePath(path);
  } catch {
    return undefined;
  }
}
