import { EngineError, type Issue } from "../base/error.ts";
import type { ExitCode } from "./command.ts";

/** Why a command ends with another code than 0, in words that say what to do. */
export class CliFailure extends Error {
  readonly exitCode: Exclude<ExitCode, 0>;
  /** For programs. */
  readonly code: string;
  /** What mends it: a command, or a sentence. */
  readonly fix: string | undefined;
  readonly issues: readonly Issue[] | undefined;

  constructor(
    exitCode: Exclude<ExitCode, 0>,
    message: string,
    more: {
      readonly code?: string;
      readonly fix?: string;
      readonly issues?: readonly Issue[] | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.exitCode = exitCode;
    this.code = more.code ?? CODES[exitCode];
    this.fix = more.fix;
    this.issues = more.issues;
  }
}

const CODES: Readonly<Record<Exclude<ExitCode, 0>, string>> = {
  1: "failed",
  2: "wrong_use",
  3: "person_needed",
  4: "unreachable",
  5: "partly_done",
  130: "interrupted",
};

/** Wrong use: exit code 2. */
export function wrongUse(message: string, fix?: string): CliFailure {
  return new CliFailure(2, message, fix === undefined ? {} : { fix });
}

const NOT_ALLOWED: ReadonlySet<string> = new Set(["unauthorized", "forbidden"]);
const BAD_INPUT: ReadonlySet<string> = new Set([
  "invalid_input",
  "invalid_definition",
  "not_found",
  "conflict",
  "payload_too_large",
]);

/** Any error as a failure of the command line. */
export function asFailure(error: unknown, host?: string): CliFailure {
  if (error instanceof CliFailure) return error;
  if (!EngineError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return new CliFailure(1, message, { code: "internal", cause: error });
  }
  const { code, issues } = error;
  if (NOT_ALLOWED.has(code))
    return new CliFailure(4, `${error.message}${host === undefined ? "" : ` (${host})`}`, {
      code,
      fix: "edgecrew login, --key, or EDGECREW_KEY",
      cause: error,
    });
  const exitCode = code === "unavailable" ? 4 : BAD_INPUT.has(code) ? 2 : 1;
  return new CliFailure(exitCode, error.message, { code, issues, cause: error });
}
