// Machines of this computer: folders in which a real shell runs what runners send. For tests of what they send.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EngineError } from "../../src/base/error.ts";
import type {
  Machine,
  MachineRequest,
  Machines,
  ShellResult,
} from "../../src/code/machines/machine.ts";

const ROOT = "/machine/work";

export type LocalMachinesOptions = {
  readonly python?: Machine["python"];
  /** Before the text is run: throws what a connection throws. */
  readonly onExec?: (text: string) => void;
};

export class LocalMachines implements Machines {
  readonly name = "Local";
  readonly limitsHosts = false;
  readonly requests: MachineRequest[] = [];
  /** By handle. */
  readonly folders = new Map<string, string>();
  readonly stopped: string[] = [];
  readonly #options: LocalMachinesOptions;

  constructor(options: LocalMachinesOptions = {}) {
    this.#options = options;
  }

  async create(request: MachineRequest): Promise<Machine> {
    this.requests.push(request);
    const handle = `machine-${this.requests.length}`;
    this.folders.set(handle, await mkdtemp(join(tmpdir(), "edgecrew-")));
    return this.#machine(handle);
  }

  async find(handle: string): Promise<Machine | undefined> {
    return this.folders.has(handle) ? this.#machine(handle) : undefined;
  }

  /** As a container that is gone overnight. */
  async lose(): Promise<void> {
    for (const folder of this.folders.values()) await rm(folder, { recursive: true });
    this.folders.clear();
  }

  #machine(handle: string): Machine {
    const own = (): string => {
      const folder = this.folders.get(handle);
      if (folder === undefined) throw new EngineError("unavailable", "the machine is gone");
      return folder;
    };
    const here = (text: string): string =>
      text.replaceAll("/machine/", `${own()}/`).replaceAll("/tmp/edgecrew", `${own()}/edgecrew`);
    const { python, onExec } = this.#options;
    return {
      handle,
      root: ROOT,
      exec: (text) => {
        onExec?.(text);
        return shell(here(text));
      },
      ...(python === undefined ? undefined : { python }),
      write: async (path, bytes) => {
        await mkdir(dirname(here(path)), { recursive: true });
        await writeFile(here(path), bytes);
      },
      read: async (path) => new Uint8Array(await readFile(here(path))),
      stop: async () => {
        this.stopped.push(handle);
        await rm(own(), { recursive: true });
        this.folders.delete(handle);
      },
    };
  }
}

function shell(text: string): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const process = spawn("bash", ["-c", text]);
    let stdout = "";
    let stderr = "";
    process.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    process.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    process.on("error", reject);
    process.on("close", (code) => resolve({ exitCode: code ?? 1, stdout, stderr }));
  });
}
