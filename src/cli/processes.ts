/** A started program. */
export type RunningProgram = {
  /** Its exit code; 1 after a signal. Never rejects. */
  readonly exited: Promise<number>;
  /** Sends a signal to the program and its child processes. */
  readonly signal: (name: "SIGINT" | "SIGTERM" | "SIGKILL") => void;
};

/** Settings of a new program. */
export type ProgramOptions = {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Receives each piece of its output, from both streams. */
  readonly onText: (text: string) => void;
};

/** Access to other programs of this machine. */
export type Processes = {
  /** Of this process. */
  readonly id: number;
  /** Returns the parent's process id. It changes when the parent ends. */
  readonly parentId: () => number;
  /** Starts a Node script. It ends by itself after this process has ended in any way. */
  readonly startNode: (args: readonly string[], options: ProgramOptions) => RunningProgram;
  /** Starts a program from the search path. A missing one ends with 1. */
  readonly startProgram: (
    name: string,
    args: readonly string[],
    options: ProgramOptions,
  ) => RunningProgram;
  /** True if the port of this machine is free. */
  readonly isFree: (port: number) => Promise<boolean>;
};
