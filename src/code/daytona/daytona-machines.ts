import type { Clock } from "../../base/clock.ts";
import type { Machine, MachineRequest, Machines } from "../machines/machine.ts";
import { quoted } from "../machines/quoted.ts";
import type { SendRequest } from "../machines/send-request.ts";
import { DaytonaSandboxes, type DaytonaAccount, type DaytonaSandbox } from "./daytona-sandbox.ts";

export type DaytonaMachinesOptions = DaytonaAccount & {
  readonly clock: Clock;
  readonly sender: (signal: AbortSignal) => SendRequest;
};

const ROOT = "/home/daytona/work";

/** Sandboxes of Daytona as machines. Its Python keeps no variables: each piece is a process. */
export class DaytonaMachines implements Machines {
  readonly name = "Daytona";
  readonly limitsHosts = false;
  readonly #options: DaytonaMachinesOptions;

  constructor(options: DaytonaMachinesOptions) {
    this.#options = options;
  }

  async create({ id, network, lifeMs, signal }: MachineRequest): Promise<Machine> {
    const sandboxes = this.#sandboxes(signal);
    const sandbox = await sandboxes.create({
      labels: { edgecrew: id },
      autoStopInterval: Math.ceil(lifeMs / 60_000),
      autoDeleteInterval: 0, // deletes it as soon as it has stopped
      ...(network === false ? { networkBlockAll: true } : undefined),
    });
    return machineOf(sandboxes, sandbox);
  }

  async find(handle: string, { signal }: MachineRequest): Promise<Machine | undefined> {
    const sandboxes = this.#sandboxes(signal);
    const sandbox = await sandboxes.find(handle);
    return sandbox && machineOf(sandboxes, sandbox);
  }

  #sandboxes(signal: AbortSignal): DaytonaSandboxes {
    const { sender, clock } = this.#options;
    return new DaytonaSandboxes(this.#options, sender(signal), clock);
  }
}

/**
 * Separates stdout from stderr. Daytona joins both, so the command writes stderr to a file and prints it after this
 * line.
 */
const ERRORS = "--edgecrew-errors--";

function machineOf(sandboxes: DaytonaSandboxes, sandbox: DaytonaSandbox): Machine {
  const exec: Machine["exec"] = async (text, { timeoutMs }) => {
    const file = "/tmp/edgecrew-errors";
    const wrapped = `( ${text}\n) 2>${file}; code=$?; printf '\\n${ERRORS}\\n'; cat ${file}; exit $code`;
    const { exitCode, result } = await sandbox.execute(`bash -c ${quoted(wrapped)}`, { timeoutMs });
    const at = result.lastIndexOf(`\n${ERRORS}\n`);
    return at < 0
      ? { exitCode, stdout: result, stderr: "" }
      : {
          exitCode,
          stdout: result.slice(0, at),
          stderr: result.slice(at + ERRORS.length + 2),
        };
  };
  return {
    handle: sandbox.id,
    root: ROOT,
    exec,
    write: (path, bytes) => sandbox.write(path, bytes),
    read: async (path, maxBytes) => (await sandbox.read(path, maxBytes)) ?? new Uint8Array(),
    stop: () => sandboxes.remove(sandbox.id),
  };
}
