// Output of another program, of which a person sees the reason of a failure.
//
//   PRO1. A failure shows at most three lines of another program: its own faults, or its last line.
//   PRO2. The whole output is the cause of the failure, which --verbose shows.
import { CliFailure } from "./cli-failure.ts";

const MAX_LINES = 3;
const MAX_LENGTH = 400;
const ANSI = /\u001b\[[\d;]*m/g;
/** Marks of faults: of wrangler, of builds that it runs, of git and of npm. Behind the mark is the message. */
const FAULT =
  /^(?:\[custom build\] *[✘✗]|[✘✗X]? *\[ERROR\]|fatal:|error:|npm (?:error|ERR!))\s+(?:[✘✗X] *\[ERROR\] )?(.+)$/iu;
/** An error of the Worker's code. Wrangler reports it several times, with its consequences. */
const UNCAUGHT = /Uncaught (?:\w*Error: )?([^{]+)/;
/** Remarks of npm, and the trace of a build with a reported fault. */
const REMARK = /^(?:code|errno|syscall|path|A complete log)\b|Process exited with non-zero status/;

export class ProgramOutput {
  readonly #pieces: string[] = [];

  readonly add = (text: string): void => {
    this.#pieces.push(text);
  };

  get whole(): string {
    return this.#pieces.join("").replaceAll(ANSI, "").trim();
  }

  /** Returns the first faults, without their marks. Without a fault the last line; empty without output. */
  get reason(): string {
    const lines = this.whole.split(/\r?\n/).map((line) => line.trim());
    const uncaught = lines
      .map((line) => UNCAUGHT.exec(line)?.[1])
      .find((line) => line !== undefined);
    if (uncaught !== undefined) return cut(uncaught.trim());
    const faults = lines.flatMap((line) => FAULT.exec(line)?.[1] ?? []);
    const own = new Set(faults.filter((fault) => !REMARK.test(fault)));
    const last = lines.findLast((line) => line !== "" && !line.includes("Logs were written to"));
    return (own.size > 0 ? [...own].slice(0, MAX_LINES) : [last ?? ""]).map(cut).join("\n");
  }

  /** Makes a failure of a command, with the reason in its message. */
  failure(
    message: string,
    more: { readonly code?: string; readonly fix?: string } = {},
  ): CliFailure {
    const { reason } = this;
    const between = reason.includes("\n") ? ":\n" : ": ";
    return new CliFailure(1, reason === "" ? message : message + between + reason, {
      ...more,
      cause: new Error(this.whole),
    });
  }
}

function cut(line: string): string {
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
