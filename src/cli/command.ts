import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { EdgecrewClient } from "../client/index.ts";
import type { ExitCode } from "./exit-code.ts";
import type { GlobalOptions } from "./global-option-values.ts";
import type { Output } from "./output.ts";
import type { Processes } from "./processes.ts";
import type { Project } from "./project.ts";
import type { Prompter } from "./prompter.ts";
import type { Target } from "./target.ts";

/** An option. Without `value` it is a switch. */
export type OptionSpec = {
  readonly about: string;
  /** Name of its value in help. */
  readonly value?: string;
  /** One letter. */
  readonly short?: string;
  /** True if it may be repeated. */
  readonly many?: boolean;
  /** Accepts whole numbers in this range. */
  readonly integer?: { readonly least: number; readonly most: number };
  readonly choices?: readonly string[];
  /** True for a switch that is on unless `--no-…` turns it off. */
  readonly on?: boolean;
  /** Left out of help: a spelling of others. */
  readonly hidden?: boolean;
};

/** Options by their names in camelCase. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec extends { readonly value: string }
  ? Spec extends { readonly many: true }
    ? readonly string[]
    : Spec extends { readonly integer: object }
      ? number | undefined
      : string | undefined
  : boolean;

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: ValueOf<Specs[Name]>;
};

/** Arguments and options after the name of a command. */
export type Call<Specs extends OptionSpecs> = {
  readonly args: readonly string[];
  readonly options: OptionValues<Specs>;
  /** Arguments after `--`, and unknown options of a command that passes them on. */
  readonly rest: readonly string[];
};

/** One command, in a file of its own. */
export type Command<Specs extends OptionSpecs = OptionSpecs> = {
  /** Its words: `run`, `runs ls`. */
  readonly name: string;
  readonly about: string;
  /** Its arguments in help: `[name]`, `<id...>`. */
  readonly args?: string;
  readonly options: Specs;
  /** Shown below its help. */
  readonly example: string;
  /** Unusual spellings of options, such as `-kn` of CrewAI's command line. */
  readonly spellings?: Readonly<Record<string, `--${string}`>>;
  /** True to pass unknown options on, in `rest`. */
  readonly passesOptions?: boolean;
  /** True to serve the project during the command if no Worker is named and the project does not run. */
  readonly serves?: boolean;
  /** Returns an exit code; undefined is 0. */
  readonly run: (context: CliContext, call: Call<Specs>) => Promise<ExitCode | void>;
};

/** Defines a command; its options give their types to `run`. */
export function command<const Specs extends OptionSpecs>(spec: Command<Specs>): Command {
  return spec as unknown as Command;
}

/** Environment of a command. */
export type CliContext = {
  readonly global: GlobalOptions;
  readonly out: Output;
  /** Undefined without a terminal for questions. */
  readonly prompt: Prompter | undefined;
  /** Returns the chosen Worker. Throws exit code 4 with the ways to name one. */
  readonly target: () => Promise<Target>;
  /** Returns the client of that Worker. */
  readonly client: () => Promise<EdgecrewClient>;
  /** Sends one request to that Worker, for operations without a client method. */
  readonly request: (path: string, init?: JsonObject) => Promise<Response>;
  /** The project around the folder; undefined outside of one. */
  readonly project: Project | undefined;
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Sends a request to any address. The command itself adds a key if needed. */
  readonly fetch: typeof fetch;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>;
  readonly processes: Processes;
  /** Version of this package. */
  readonly version: string;
};
