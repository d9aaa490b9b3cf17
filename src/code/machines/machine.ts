// Port of machines with a shell: containers and sandboxes that run Python and shell text.
import type { CodeNetwork } from "../code-runner.ts";

export type ShellResult = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** Result of Python with kept variables. */
export type PythonResult = {
  readonly stdout: string;
  readonly stderr: string;
  /** The thrown error, as Python prints it. */
  readonly error?: string;
  /** Value of the last expression, as text. */
  readonly text?: string;
  /** Pictures shown by the code. */
  readonly images: ReadonlyArray<{ readonly ending: "png" | "jpeg"; readonly bytes: Uint8Array }>;
};

/** A running machine. All methods except `stop` throw `unavailable` if it does not answer. */
export interface Machine {
  /** Identifier to find the machine again. */
  readonly handle: string;
  /** Working directory of code. */
  readonly root: string;
  /**
   * Runs shell text. The text itself ends the command after its time; after `timeoutMs` the caller stops waiting for
   * it.
   */
  exec(text: string, limits: MachineLimits): Promise<ShellResult>;
  /**
   * Runs Python with the variables of earlier code. Returns "late" if its time was over. Absent if each piece is a
   * process of its own.
   */
  python?(code: string, limits: MachineLimits): Promise<PythonResult | "late">;
  write(path: string, bytes: Uint8Array): Promise<void>;
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  stop(): Promise<void>;
}

export type MachineLimits = { readonly timeoutMs: number };

/** Requested properties of a machine. */
export type MachineRequest = {
  /** Key of this machine, the same for every attempt. */
  readonly id: string;
  readonly network: CodeNetwork;
  /** Maximum lifetime of the machine. */
  readonly lifeMs: number;
  readonly signal: AbortSignal;
};

/** Machines of one provider. */
export interface Machines {
  readonly name: string;
  /** True if the provider can limit a machine to a list of hosts. */
  readonly limitsHosts: boolean;
  /** Makes a machine. Throws `unavailable` if the provider has none for now; no code has run then. */
  create(request: MachineRequest): Promise<Machine>;
  /** Returns an existing machine, or undefined if it is gone. */
  find(handle: string, request: MachineRequest): Promise<Machine | undefined>;
}
