// The used subset of Cloudflare's Sandbox SDK: the result of `getSandbox` from `@cloudflare/sandbox`.
import { fromBase64, toBase64 } from "../../base/bytes.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { Machine, MachineRequest, Machines, PythonResult } from "../machines/machine.ts";

/** A container of `@cloudflare/sandbox` 0.12. */
export interface SandboxContainer {
  exec(
    command: string,
    options?: { readonly timeout?: number },
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  writeFile(
    path: string,
    content: string,
    options?: { readonly encoding?: string },
  ): Promise<unknown>;
  readFile(
    path: string,
    options: { readonly encoding: "base64" },
  ): Promise<{ readonly content: string }>;
  createCodeContext(options: {
    readonly language: "python";
    readonly cwd: string;
  }): Promise<{ readonly id: string }>;
  runCode(
    code: string,
    options: { readonly context: { readonly id: string }; readonly timeout?: number },
  ): Promise<SandboxExecution>;
  destroy(): Promise<void>;
}

/** Result of code in a sandbox. */
export type SandboxExecution = {
  readonly logs: { readonly stdout: readonly string[]; readonly stderr: readonly string[] };
  readonly results: ReadonlyArray<{
    readonly text?: string | undefined;
    readonly png?: string | undefined;
    readonly jpeg?: string | undefined;
  }>;
  readonly error?:
    | { readonly name: string; readonly message: string; readonly traceback: readonly string[] }
    | undefined;
};

/** Opens a container by its name: `(id) => getSandbox(env.SANDBOX, id, { sleepAfter: "10m", normalizeId: true })`. */
export type OpenSandbox = (id: string) => SandboxContainer;

const ROOT = "/workspace";
const MARK = "/tmp/.edgecrew";
const START_MS = 120_000;

/** Containers of Cloudflare as machines. Their class sets the network: `enableInternet = false` turns it off. */
export class SandboxMachines implements Machines {
  readonly name = "Cloudflare Sandbox";
  readonly limitsHosts = false;
  readonly #open: OpenSandbox;

  constructor(open: OpenSandbox) {
    this.#open = open;
  }

  async create({ id }: MachineRequest): Promise<Machine> {
    const machine = machineOf(this.#open(id), id);
    await machine.exec(`touch ${MARK}`, { timeoutMs: START_MS });
    return machine;
  }

  /**
   * Every name has a container, so a mark tells if it is still the same one. A restarted container has lost its files.
   */
  async find(handle: string): Promise<Machine | undefined> {
    const [id = "", context] = handle.split("/");
    const machine = machineOf(this.#open(id), id, context);
    const { exitCode } = await machine.exec(`test -e ${MARK}`, { timeoutMs: START_MS });
    return exitCode === 0 ? machine : undefined;
  }
}

function machineOf(container: SandboxContainer, id: string, known?: string): Machine {
  let context = known;
  const root = `${ROOT}/${id}`;
  return {
    get handle() {
      return context === undefined ? id : `${id}/${context}`;
    },
    root,
    exec: (text, { timeoutMs }) =>
      reached(async () => {
        const { exitCode, stdout, stderr } = await container.exec(text, { timeout: timeoutMs });
        return { exitCode, stdout, stderr };
      }),
    python: (code, { timeoutMs }) =>
      reached(async () => {
        context ??= (await container.createCodeContext({ language: "python", cwd: root })).id;
        const ran = await container.runCode(code, { context: { id: context }, timeout: timeoutMs });
        return pythonResult(ran);
      }).catch((error: unknown) => {
        if (/time(d )?[- ]?out/i.test(errorMessage(error))) return "late" as const;
        throw error;
      }),
    write: (path, bytes) =>
      reached(async () => {
        const folder = path.slice(0, path.lastIndexOf("/"));
        await container.exec(`mkdir -p '${folder.replaceAll("'", "'\\''")}'`);
        await container.writeFile(path, toBase64(bytes), { encoding: "base64" });
      }),
    read: (path, maxBytes) =>
      reached(async () => {
        const { content } = await container.readFile(path, { encoding: "base64" });
        const bytes = fromBase64(content);
        return bytes.length > maxBytes ? bytes.subarray(0, maxBytes) : bytes;
      }),
    stop: () => reached(() => container.destroy()),
  };
}

function pythonResult({ logs, results, error }: SandboxExecution): PythonResult {
  const text = results.find((result) => result.text !== undefined)?.text;
  return {
    stdout: logs.stdout.join(""),
    stderr: logs.stderr.join(""),
    ...(error === undefined
      ? undefined
      : { error: error.traceback.join("\n") || `${error.name}: ${error.message}` }),
    ...(text === undefined ? undefined : { text }),
    images: results.flatMap((result) =>
      (["png", "jpeg"] as const).flatMap((ending) => {
        const data = result[ending];
        return data === undefined ? [] : [{ ending, bytes: fromBase64(data) }];
      }),
    ),
  };
}

/** The first start of a container takes minutes, so any error means an unavailable container. */
async function reached<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw new EngineError("unavailable", `the container is not there: ${errorMessage(error)}`, {
      retryable: true,
      cause: error,
    });
  }
}
