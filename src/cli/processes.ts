/** A program that was started. */
export type RunningProgram = {
  /** Its exit code; 1 where a signal ended it. Never rejects. */
  readonly exited: Promise<number>;
  /** Sends a signal to the program and to all that it started. */
  readonly signal: (name: "SIGINT" | "SIGTERM" | "SIGKILL") => void;
};

/** How a program is started. */
export type ProgramOptions = {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Each piece of what it writes, to either output. */
  readonly onText: (text: string) => void;
};

/** Other programs of this machine, as the command line has them. */
export type Processes = {
  /** Of this process. */
  readonly id: number;
  /** Another number than at first: who started us is gone. */
  readonly parentId: () => number;
  /** Starts a script of Node. It ends by itself when this process is gone, however that ended. */
  readonly startNode: (args: readonly string[], options: ProgramOptions) => RunningProgram;
  /** Starts a program that is looked up as a shell does. One that is not there ends with 1. */
  readonly startProgram: (
    name: string,
    args: readonly string[],
    options: ProgramOptions,
  ) => RunningProgram;
  /** Whether nothing listens on the port of this machine. */
  readonly isFree: (port: number) => Promise<boolean>;
};
