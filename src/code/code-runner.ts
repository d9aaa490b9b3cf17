// Port for running code: in an isolate, a container, or an external service.
import type { JsonValue } from "../base/json.ts";
import type { CodeLanguage } from "./code-language.ts";

/** Network access of code: none, or only these hosts (`api.example.com`, `*.example.com`). */
export type CodeNetwork = false | { readonly hosts: readonly string[] };

/** A piece of code and its surroundings. */
export type CodeJob = {
  readonly language: CodeLanguage;
  readonly code: string;
  /** Key of this piece of code, the same for every attempt. */
  readonly idempotencyKey: string;
  /**
   * Files by relative path. The working directory holds exactly these, beside files that the session left there.
   * @default {}
   */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** JavaScript and TypeScript: the value of `input`. */
  readonly input?: JsonValue;
  /** JavaScript and TypeScript: tools for the code. */
  readonly tools?: CodeTools;
  readonly timeoutMs: number;
  /** Limit of each of the two outputs. */
  readonly maxOutputChars: number;
  readonly network: CodeNetwork;
  /** Jobs of one session share a working directory and, in Python, their variables. @default each job has its own */
  readonly session?: CodeSession;
};

/** Recorded state of a session. With it the next job finds the container again, also after a crash. */
export type CodeSession = {
  /** Unique among all tenants and runs, 32 hexadecimal digits. */
  readonly id: string;
  /** The runner's identifier of the session's container. Undefined before there is a container. */
  readonly handle: string | undefined;
  /** Records a handle. */
  readonly keep: (handle: string) => void;
  /** Files that earlier jobs left in the working directory, to fill a new container. */
  readonly files: () => Promise<Readonly<Record<string, Uint8Array>>>;
};

/** Tools of a run for its code. */
export interface CodeTools {
  /** Calls a tool; `input` is JSON text. Returns a refusal if the call is not possible, and never throws. */
  call(name: string, input: string): Promise<CodeToolAnswer>;
}

/** Result of a call as JSON text, or the reason of its failure. */
export type CodeToolAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** A new or changed file. */
export type CodeFile = { readonly path: string; readonly bytes: Uint8Array };

/** Reason why code did not end by itself. */
export type CodeFault = "timeout" | "limit" | "syntax" | "unavailable" | "refused";

/** Result of a piece of code. */
export type CodeResult = {
  /** Exit code of the code, 0 to 255; −1 if the runner was unavailable and did not run it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Number of characters missing from the two outputs. */
  readonly truncatedChars: number;
  readonly durationMs: number;
  readonly value?: JsonValue;
  /** New and changed files. */
  readonly files: readonly CodeFile[];
  readonly error?: CodeFault;
};

/** Runs code in some languages. */
export interface CodeRunner {
  /** Name of the service, such as `E2B`. */
  readonly name: string;
  readonly languages: readonly CodeLanguage[];
  /**
   * Runs the job. Failures of the code are results, never errors. Throws `outcome_unknown` if the connection broke
   * while the code ran, because the code may or may not have finished.
   */
  run(job: CodeJob, signal: AbortSignal): Promise<CodeResult>;
  /** Gives up a session's container. Called when its run ends. */
  close?(handle: string, signal: AbortSignal): Promise<void>;
}

/** Maximum characters of output for a piece of code. */
export const MAX_OUTPUT_CHARS = 30_000;

/** Exit codes with a meaning of their own. */
export const EXIT = {
  failed: 1,
  notEnabled: 2,
  timeout: 124,
  refused: 126,
  limit: 137,
  unavailable: -1,
} as const;

/** A result without output of the code's own: it was not run, or it was stopped. */
export function codeFailure(
  exitCode: number,
  stderr: string,
  more: Partial<Pick<CodeResult, "error" | "durationMs">> = {},
): CodeResult {
  return {
    exitCode,
    stdout: "",
    stderr,
    truncatedChars: 0,
    durationMs: 0,
    files: [],
    ...more,
  };
}
