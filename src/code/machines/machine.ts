// The port of machines with a shell: containers and sandboxes that run Python and shell text.
import type { CodeNetwork } from "../code-runner.ts";

export type ShellResult = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** What Python that keeps its variables gave. */
export type PythonResult = {
  readonly stdout: string;
  readonly stderr: string;
  /** What was thrown, as Python shows it. */
  readonly error?: string;
  /** What the last expression is, as text. */
  readonly text?: string;
  /** Pictures that it showed. */
  readonly images: ReadonlyArray<{ readonly ending: "png" | "jpeg"; readonly bytes: Uint8Array }>;
};

/** A machine that is there. All but `stop` throw `unavailable` where it does not answer. */
export interface Machine {
  /** What it is found again by. */
  readonly handle: string;
  /** The folder that code works in. */
  readonly root: string;
  /** Runs shell text. It is ended by the text itself after its time; `timeoutMs` is when nobody waits for it any more. */
  exec(text: string, limits: MachineLimits): Promise<ShellResult>;
  /**
   * Runs Python with the variables of what was run before. "late" where its time was over. Absent where each piece is a process of
   * its own.
   */
  python?(code: string, limits: MachineLimits): Promise<PythonResult | "late">;
  write(path: string, bytes: Uint8Array): Promise<void>;
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  stop(): Promise<void>;
}

export type MachineLimits = { readonly timeoutMs: number };

/** What a machine is asked for. */
export type MachineRequest = {
  /** The same for every attempt to get this machine. */
  readonly id: string;
  readonly network: CodeNetwork;
  /** How long it may live. */
  readonly lifeMs: number;
  readonly signal: AbortSignal;
};

/** Machines of one provider. */
export interface Machines {
  readonly name: string;
  /** Whether it can keep machines from some hosts and not from others. */
  readonly limitsHosts: boolean;
  /** A new machine. Throws `unavailable` where there is none for now, and nothing was run. */
  create(request: MachineRequest): Promise<Machine>;
  /** A machine that was made before; undefined for one that is gone. */
  find(handle: string, request: MachineRequest): Promise<Machine | undefined>;
}
