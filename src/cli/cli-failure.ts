import { EngineError, type Issue } from "../base/error.ts";
import type { ExitCode } from "./exit-code.ts";

/** Reason why a command ends with another code than 0, with advice. */
export class CliFailure extends Error {
  readonly exitCode: Exclude<ExitCode, 0>;
  /** Stable code for programs. */
  readonly code: string;
  /** Remedy: a command, or a sentence. */
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

/** Makes any error a failure of the command line. `target` is the Worker of the request. */
export function asFailure(
  error: unknown,
  target?: { readonly url: string; readonly from: string },
): CliFailure {
  if (error instanceof CliFailure) return error;
  if (!EngineError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return new CliFailure(1, message, { code: "internal", cause: error });
  }
  const { code, issues } = error;
  if (NOT_ALLOWED.has(code))
    return new CliFailure(
      4,
      `${error.message}${target === undefined ? "" : ` (${target.url}, ${target.from})`}`,
      {
        code,
        fix: "edgecrew login, --key, or EDGECREW_KEY",
        cause: error,
      },
    );
  if (code === "unavailable") return unreachable(error);
  const exitCode = BAD_INPUT.has(code) ? 2 : 1;
  return new CliFailure(exitCode, error.message, { code, issues, cause: error });
}

/** The innermost reason is the most useful one; `fetch failed` alone does not help. */
function unreachable(error: EngineError): CliFailure {
  const { code, issues } = error;
  const reason = deepestMessage(error);
  const message = error.message.includes(reason) ? error.message : `${error.message}: ${reason}`;
  const isUntrusted = /certificate|self.signed/i.test(reason);
  return new CliFailure(4, message, {
    code,
    issues,
    cause: error,
    ...(isUntrusted ? { fix: TRUST } : {}),
  });
}

/** Remedy for an untrusted certificate. There is no option to ignore it. */
export const TRUST = "NODE_EXTRA_CA_CERTS names a file with certificates that are trusted";

/** Returns the message of the innermost cause. */
export function deepestMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest instanceof Error ? deepest.message : String(deepest);
}
