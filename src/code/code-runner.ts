// The port through which code is run: in an isolate, a container, or a service elsewhere.
import type { JsonValue } from "../base/json.ts";
import type { CodeLanguage } from "./code-language.ts";

/** Where code may send requests: nowhere, or to these hosts (`api.example.com`, `*.example.com`). */
export type CodeNetwork = false | { readonly hosts: readonly string[] };

/** A piece of code, and what it is run with. */
export type CodeJob = {
  readonly language: CodeLanguage;
  readonly code: string;
  /** The same for every attempt at this piece of code, and for no other. */
  readonly idempotencyKey: string;
  /** By relative path: the working directory holds exactly these, beside what a session left there. @default {} */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** JavaScript and TypeScript: the value of `input`. */
  readonly input?: JsonValue;
  /** JavaScript and TypeScript: the tools that the code can call. */
  readonly tools?: CodeTools;
  readonly timeoutMs: number;
  /** Of each of the two outputs. */
  readonly maxOutputChars: number;
  readonly network: CodeNetwork;
  /** Jobs of one session share a working directory and, in Python, their variables. @default each job has its own */
  readonly session?: CodeSession;
};

/** What a session has on record, so that the next job, or the one after a crash, finds its container again. */
export type CodeSession = {
  /** Unique among all tenants and runs, 32 hexadecimal digits. */
  readonly id: string;
  /** What the runner knows the session's container by; undefined before there is one. */
  readonly handle: string | undefined;
  /** Puts a handle on record. */
  readonly keep: (handle: string) => void;
  /** What the jobs before it left in the working directory, for a container that is new. */
  readonly files: () => Promise<Readonly<Record<string, Uint8Array>>>;
};

/** The tools of a run that code can call. */
export interface CodeTools {
  /** Refuses what cannot be called, and never throws. `input` is JSON text. */
  call(name: string, input: string): Promise<CodeToolAnswer>;
}

/** What a call gave, as JSON text, or why it gave nothing. */
export type CodeToolAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** A file that code has written or changed. */
export type CodeFile = { readonly path: string; readonly bytes: Uint8Array };

/** What kept code from ending by itself. */
export type CodeFault = "timeout" | "limit" | "syntax" | "unavailable" | "refused";

/** What a piece of code came to. */
export type CodeResult = {
  /** 0 to 255 as the code ended; −1 where the runner was not there and nothing was run. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How much of the two is left out. */
  readonly truncatedChars: number;
  readonly durationMs: number;
  readonly value?: JsonValue;
  /** New and changed ones. */
  readonly files: readonly CodeFile[];
  readonly error?: CodeFault;
};

/** Runs code in some languages. */
export interface CodeRunner {
  /** What it is known by, such as `E2B`. */
  readonly name: string;
  readonly languages: readonly CodeLanguage[];
  /**
   * Never throws for what the code did. Throws `outcome_unknown` where the connection broke while the code ran, so that nobody
   * knows whether it finished.
   */
  run(job: CodeJob, signal: AbortSignal): Promise<CodeResult>;
  /** Gives up a session's container. Called when its run ends. */
  close?(handle: string, signal: AbortSignal): Promise<void>;
}

/** Characters of output that are kept of a piece of code. */
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
