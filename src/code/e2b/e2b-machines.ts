import { fromBase64 } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import type { Machine, MachineRequest, Machines } from "../machines/machine.ts";
import type { SendRequest } from "../machines/send-request.ts";
import { E2BSandboxes, type E2BAccount, type E2BSandbox } from "./e2b-sandbox.ts";
import { shellOnE2B } from "./shell-on-e2b.ts";

export type E2BMachinesOptions = E2BAccount & {
  readonly template?: string | undefined;
  readonly sender: (signal: AbortSignal) => SendRequest;
};

/** Sandboxes of E2B as machines. */
export class E2BMachines implements Machines {
  readonly name = "E2B";
  readonly limitsHosts = true;
  readonly #options: E2BMachinesOptions;

  constructor(options: E2BMachinesOptions) {
    this.#options = options;
  }

  async create({ id, network, lifeMs, signal }: MachineRequest): Promise<Machine> {
    const sandboxes = this.#sandboxes(signal);
    const isLimited = network !== false && !network.hosts.includes("*");
    const sandbox = await sandboxes.create({
      template: this.#options.template,
      lifeMs,
      internet: network !== false,
      hosts: isLimited ? network.hosts : undefined,
      metadata: { edgecrew: id },
    });
    return machineOf(sandboxes, sandbox);
  }

  async find(handle: string, { lifeMs, signal }: MachineRequest): Promise<Machine | undefined> {
    const sandboxes = this.#sandboxes(signal);
    const sandbox = await sandboxes.connect(handle, lifeMs);
    return sandbox && machineOf(sandboxes, sandbox);
  }

  #sandboxes(signal: AbortSignal): E2BSandboxes {
    return new E2BSandboxes(this.#options, this.#options.sender(signal));
  }
}

function machineOf(sandboxes: E2BSandboxes, sandbox: E2BSandbox): Machine {
  return {
    handle: sandbox.id,
    root: "/home/user/work",
    exec: (text, { timeoutMs }) => shellOnE2B(sandbox, text, { timeoutMs }),
    python: async (code, { timeoutMs }) => {
      const ran = await sandbox
        .execute(`import os as _os; _os.chdir("/home/user/work"); del _os`, { timeoutMs })
        .then(() => sandbox.execute(code, { timeoutMs }))
        .catch((error: unknown) => {
          if (EngineError.is(error) && error.code === "timeout") return "late" as const;
          throw error;
        });
      if (ran === "late") return ran;
      return {
        stdout: ran.stdout.join(""),
        stderr: ran.stderr.join(""),
        ...(ran.error === undefined
          ? undefined
          : { error: ran.error.traceback || `${ran.error.name}: ${ran.error.value}` }),
        ...(ran.text === undefined ? undefined : { text: ran.text }),
        images: ran.results.flatMap((result) =>
          (["png", "jpeg"] as const).flatMap((ending) => {
            const data = result[ending];
            return typeof data === "string" ? [{ ending, bytes: fromBase64(data) }] : [];
          }),
        ),
      };
    },
    write: (path, bytes) => sandbox.write(path, bytes),
    read: async (path, maxBytes) => (await sandbox.read(path, maxBytes)) ?? new Uint8Array(),
    stop: () => sandboxes.remove(sandbox.id),
  };
}
