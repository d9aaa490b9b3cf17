import type { Clock } from "../base/clock.ts";
import type { Sink } from "./output.ts";
import type { Processes } from "./processes.ts";
import type { Prompter } from "./prompter.ts";

/** Access of the command line to the machine. Tests use doubles. */
export type CliWorld = {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: { readonly isTerminal: boolean; readonly read: () => Promise<string> };
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly prompter: () => Promise<Prompter>;
  readonly processes: Processes;
  readonly version: string;
};
