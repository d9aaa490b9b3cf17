// JavaScript and TypeScript in isolates. Each isolate runs one piece of code and is never used again.
//
//   LDR1. Code has no network, bindings or variables except those of its job. Each piece starts an isolate of its own.
//   LDR2. Lines and columns in errors are those of the original code.
//   LDR3. Code ends like a process: when no work is pending, when it exits, or when its time is over. Output printed
//         until then is kept.
//   LDR4. The isolate's answer is untrusted input: code that changes every prototype can spoil only its own result.
import type { Clock } from "../../base/clock.ts";
import { systemClock, systemFetch } from "../../base/system.ts";
import type { OutboundPolicy } from "../../security/outbound.ts";
import type { CodeLanguage } from "../code-language.ts";
import {
  codeFailure,
  EXIT,
  type CodeJob,
  type CodeResult,
  type CodeRunner,
  type CodeTools,
} from "../code-runner.ts";
import type { CodeLoader } from "./code-loader.ts";
import {
  endedByRuntime,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_VALUE_CHARS,
  resultOf,
  startFailure,
} from "./guest-answer.ts";
import { authorsStack, formsOf, moduleText, type CodeForm } from "./guest-code.ts";
import { HARNESS, MAIN_MODULE, USER_MODULE, type GuestJob } from "./harness.ts";
import { requestGate, type RequestGate } from "./request-gate.ts";
import { typeScriptTranspiler } from "./typescript.ts";

/** Entrypoint of the harness. */
type Guest = { run(job: GuestJob, gate: unknown): Promise<unknown> };

/** Access of a guest beyond its isolate. */
export type GuestGate = {
  readonly tools: CodeTools | undefined;
  readonly send: RequestGate | undefined;
};

export type WorkerLoaderOptions = {
  readonly loader: CodeLoader;
  /** Makes a stub of a gate for another isolate. */
  readonly stubOf: (gate: GuestGate) => Promise<unknown>;
  /** Sends the requests of code with a list of hosts. @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined;
  /** Limits on requests of code, beside its own list. @default only public addresses */
  readonly outbound?: OutboundPolicy | undefined;
  /** @default the system's */
  readonly clock?: Clock;
};

const COMPATIBILITY_DATE = "2026-08-15";
const CPU_MS = 5_000;
/** Tool calls and requests of one piece of code. */
const MAX_SUBREQUESTS = 50;
/**
 * Extra time for the isolate, which stops the code itself, as only it has the printed output. After this time the
 * runner ends it.
 */
const GRACE_MS = 1_000;

/** Runs JavaScript and TypeScript with a Worker Loader. TypeScript needs the package `sucrase`. */
export class WorkerLoaderRunner implements CodeRunner {
  readonly name = "Worker Loader";
  readonly languages: readonly CodeLanguage[] = ["javascript", "typescript"];
  readonly #options: WorkerLoaderOptions;
  readonly #clock: Clock;

  constructor(options: WorkerLoaderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async run(job: CodeJob, signal: AbortSignal): Promise<CodeResult> {
    const made =
      job.language === "typescript" ? (await typeScriptTranspiler())(job.code) : { js: job.code };
    if ("fault" in made) return syntaxFailure(`SyntaxError: ${made.fault}`);
    const files = { ...(await job.session?.files()), ...job.files };
    const own = { ...job, code: made.js, files };
    let first: CodeResult | undefined;
    for (const form of formsOf(made.js)) {
      const result = await this.#runAs(form, { job: own, signal });
      if (result.error !== "syntax") return result;
      first ??= result;
    }
    return first ?? codeFailure(EXIT.failed, "");
  }

  async #runAs(
    form: CodeForm,
    { job, signal }: { readonly job: CodeJob; readonly signal: AbortSignal },
  ): Promise<CodeResult> {
    const startedAtMs = this.#clock.now();
    const { loader, stubOf, fetch: send = systemFetch, outbound = {} } = this.#options;
    const worker = loader.load({
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ["nodejs_compat"],
      mainModule: MAIN_MODULE,
      modules: { [MAIN_MODULE]: HARNESS, [USER_MODULE]: moduleText(job.code, form) },
      env: {},
      globalOutbound: null,
      limits: { cpuMs: CPU_MS, subRequests: MAX_SUBREQUESTS },
    });
    const guest = worker.getEntrypoint() as Guest;
    const { network, tools } = job;
    const gate = {
      tools,
      send: network === false ? undefined : requestGate(network.hosts, { fetch: send, outbound }),
    };
    try {
      const run = guest.run(guestJob(job), await stubOf(gate));
      const answer = await this.#inTime(run, job.timeoutMs, signal);
      const durationMs = this.#clock.now() - startedAtMs;
      if (answer === LATE) return codeFailure(EXIT.timeout, "", { error: "timeout", durationMs });
      return resultOf(answer, { form, durationMs });
    } catch (error) {
      signal.throwIfAborted();
      const failure = startFailure(error);
      if (failure === undefined) return endedByRuntime(error, this.#clock.now() - startedAtMs);
      return failure.isSyntax
        ? syntaxFailure(authorsStack(failure.text, form))
        : codeFailure(EXIT.failed, authorsStack(failure.text, form));
    }
  }

  /** Returns the answer, or `LATE`. Rejects as soon as the signal aborts; the isolate is not stopped. */
  #inTime(answer: Promise<unknown>, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        over();
        reject(signal.reason as Error);
      };
      const cancel = this.#clock.after(timeoutMs + GRACE_MS, () => {
        over();
        resolve(LATE);
      });
      const over = (): void => {
        cancel();
        signal.removeEventListener("abort", onAbort);
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      answer.then(
        (value) => {
          over();
          resolve(value);
        },
        (error: unknown) => {
          over();
          reject(error);
        },
      );
    });
  }
}

const LATE = Symbol("late");

function syntaxFailure(text: string): CodeResult {
  return codeFailure(EXIT.failed, text, { error: "syntax" });
}

function guestJob(job: CodeJob): GuestJob {
  const { input, files, timeoutMs, maxOutputChars, tools, network } = job;
  return {
    input,
    hasTools: tools !== undefined,
    hasNetwork: network !== false,
    files: Object.entries(files ?? {}).map(([path, bytes]) => ({ path, bytes })),
    timeoutMs,
    maxOutputChars,
    maxValueChars: MAX_VALUE_CHARS,
    maxFiles: MAX_FILES,
    maxFileBytes: MAX_FILE_BYTES,
  };
}
