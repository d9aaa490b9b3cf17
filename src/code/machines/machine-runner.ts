// Python and shell text on machines of any provider.
//
//   MCR1. A piece of code without a session has a machine of its own. The runner gives it up when the code has ended,
//         in every case.
//   MCR2. A session keeps its machine for the run. A machine that is gone is replaced and filled with the kept files.
//   MCR3. New and changed files come back, except those in hidden folders and links.
//   MCR4. An unavailable machine has run no code, so the runner asks for it again. If a connection breaks while code
//         runs, the outcome is unknown.
import { EngineError } from "../../base/error.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { CodeLanguage } from "../code-language.ts";
import {
  codeFailure,
  EXIT,
  type CodeFile,
  type CodeJob,
  type CodeResult,
  type CodeRunner,
} from "../code-runner.ts";
import { quoted } from "./quoted.ts";
import type { Machine, MachineRequest, Machines, PythonResult } from "./machine.ts";

const SESSION_LIFE_MS = 3_600_000;
/** Time for starts and answers of machines, beside the time of the code. */
const OVERHEAD_MS = 60_000;
const SHORT_MS = 30_000;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 25_000_000;

type Opened = { readonly machine: Machine; readonly isNew: boolean };
/** Size and time of change, by path. */
type Listing = ReadonlyMap<string, string>;

/** Runs code on machines. */
export class MachineRunner implements CodeRunner {
  readonly languages: readonly CodeLanguage[] = ["python", "bash"];
  readonly #machines: Machines;

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  get name(): string {
    return this.#machines.name;
  }

  async run(job: CodeJob, signal: AbortSignal): Promise<CodeResult> {
    const { network, session } = job;
    const isOpen = network !== false && network.hosts.includes("*");
    if (network !== false && !isOpen && !this.#machines.limitsHosts)
      return codeFailure(
        EXIT.refused,
        `${this.name} cannot keep code from some hosts: allow all with network: { hosts: ["*"] }, or none`,
        { error: "refused" },
      );
    const opened = await this.#open(job, signal);
    if ("exitCode" in opened) return opened;
    const { machine } = opened;
    try {
      return await this.#runOn(opened, job);
    } finally {
      if (session === undefined) await machine.stop().catch(() => undefined);
    }
  }

  async close(handle: string, signal: AbortSignal): Promise<void> {
    const machine = await this.#machines.find(handle, {
      id: handle,
      network: false,
      lifeMs: SHORT_MS,
      signal,
    });
    await machine?.stop();
  }

  async #open(job: CodeJob, signal: AbortSignal): Promise<Opened | CodeResult> {
    const { session, network, idempotencyKey, timeoutMs } = job;
    const request: MachineRequest = {
      id: session?.id ?? sha256Hex(idempotencyKey).slice(0, 32),
      network,
      lifeMs: session === undefined ? timeoutMs + OVERHEAD_MS : SESSION_LIFE_MS,
      signal,
    };
    try {
      const handle = session?.handle ?? "";
      const known = handle === "" ? undefined : await this.#machines.find(handle, request);
      if (known !== undefined) return { machine: known, isNew: false };
      const machine = await this.#machines.create(request);
      session?.keep(machine.handle);
      return { machine, isNew: true };
    } catch (error) {
      signal.throwIfAborted();
      if (isAway(error))
        return codeFailure(EXIT.unavailable, error.message, { error: "unavailable" });
      throw error;
    }
  }

  async #runOn({ machine, isNew }: Opened, job: CodeJob): Promise<CodeResult> {
    const { session } = job;
    const { handle } = machine;
    const before = await prepare(machine, job, isNew).catch((error: unknown) => {
      if (!isAway(error)) throw error;
      return codeFailure(EXIT.unavailable, error.message, { error: "unavailable" });
    });
    if ("exitCode" in before) return before;
    const keepsVariables = session !== undefined && job.language === "python";
    const running = (keepsVariables ? runPython(machine, job) : undefined) ?? runFile(machine, job);
    const ran = await running.catch((error: unknown) => {
      throw isAway(error) ? unknownOutcome(this.name, error) : error;
    });
    if (machine.handle !== handle) session?.keep(machine.handle);
    if (ran.late) {
      // Code that does not end would run as long as its machine.
      await machine.stop().catch(() => undefined);
      session?.keep("");
      return { ...ran.result, files: [] };
    }
    const files = await changed(machine, before).catch(() => undefined);
    return files === undefined
      ? { ...ran.result, stderr: `${ran.result.stderr}\nThe files that it wrote cannot be read.\n` }
      : { ...ran.result, files: [...ran.result.files, ...files] };
  }
}

function isAway(error: unknown): error is EngineError {
  return EngineError.is(error) && (error.code === "unavailable" || error.code === "timeout");
}

function unknownOutcome(name: string, error: EngineError): EngineError {
  return new EngineError(
    "outcome_unknown",
    `the connection to ${name} was lost while the code ran, so it is not known whether it finished: ${error.message}`,
    { cause: error },
  );
}

/** Writes the files to the machine. Returns the listing before the code runs, to find changes later. */
async function prepare(machine: Machine, job: CodeJob, isNew: boolean): Promise<Listing> {
  const { session, files = {} } = job;
  await machine.exec(`mkdir -p ${quoted(machine.root)}`, { timeoutMs: SHORT_MS });
  const left = isNew ? await session?.files() : undefined;
  for (const [path, bytes] of Object.entries({ ...left, ...files }))
    await machine.write(`${machine.root}/${path}`, bytes);
  return listing(machine);
}

type Ran = { readonly result: CodeResult; readonly late?: boolean };

async function runFile(machine: Machine, job: CodeJob): Promise<Ran> {
  const { language, code, timeoutMs, idempotencyKey } = job;
  const isPython = language === "python";
  const file = `/tmp/edgecrew-${sha256Hex(idempotencyKey).slice(0, 12)}.${isPython ? "py" : "sh"}`;
  await machine.write(file, new TextEncoder().encode(code));
  const seconds = Math.ceil(timeoutMs / 1000);
  const program = isPython ? "python3" : "bash";
  const text = `cd ${quoted(machine.root)} && timeout -k 2 ${seconds} ${program} ${file}`;
  const { exitCode, stdout, stderr } = await machine.exec(text, {
    timeoutMs: timeoutMs + OVERHEAD_MS,
  });
  const isLate = exitCode === EXIT.timeout;
  return { result: resultOf({ exitCode, stdout, stderr }, { isLate, isKilled: exitCode === 137 }) };
}

/** Undefined on a machine that does not keep variables. */
function runPython(machine: Machine, { code, timeoutMs }: CodeJob): Promise<Ran> | undefined {
  return machine.python?.(code, { timeoutMs }).then(pythonRan);
}

function pythonRan(answer: PythonResult | "late"): Ran {
  if (answer === "late")
    return { late: true, result: codeFailure(EXIT.timeout, "", { error: "timeout" }) };
  const { stdout, stderr, error, text, images } = answer;
  const shown =
    text === undefined ? "" : `${stdout === "" || stdout.endsWith("\n") ? "" : "\n"}${text}\n`;
  const raised =
    error === undefined ? "" : `${stderr === "" || stderr.endsWith("\n") ? "" : "\n"}${error}\n`;
  const exitCode = error === undefined ? 0 : EXIT.failed;
  const result = resultOf({ exitCode, stdout: stdout + shown, stderr: stderr + raised }, {});
  return { result: { ...result, files: images.map(imageFile) } };
}

function imageFile(image: PythonResult["images"][number], index: number): CodeFile {
  return { path: `output_${index + 1}.${image.ending}`, bytes: image.bytes };
}

function resultOf(
  { exitCode, stdout, stderr }: Pick<CodeResult, "exitCode" | "stdout" | "stderr">,
  { isLate = false, isKilled = false }: { readonly isLate?: boolean; readonly isKilled?: boolean },
): CodeResult {
  return {
    exitCode: exitCode & 255,
    stdout,
    stderr,
    truncatedChars: 0,
    durationMs: 0,
    files: [],
    ...(isLate ? { error: "timeout" as const } : undefined),
    ...(isKilled ? { error: "limit" as const } : undefined),
  };
}

async function listing(machine: Machine): Promise<Listing> {
  const text = `cd ${quoted(machine.root)} && find . -type f -not -path '*/.*' -printf '%P\\t%s\\t%T@\\n' | head -n 5000`;
  const { stdout } = await machine.exec(text, { timeoutMs: SHORT_MS });
  const lines = stdout.split("\n").map((line) => line.split("\t"));
  return new Map(
    lines.flatMap(([path = "", size, time]) =>
      time === undefined ? [] : [[path, `${size} ${time}`] as const],
    ),
  );
}

async function changed(machine: Machine, before: Listing): Promise<readonly CodeFile[]> {
  const files: CodeFile[] = [];
  let left = MAX_FILE_BYTES;
  for (const [path, state] of await listing(machine)) {
    const size = Number(state.split(" ")[0]);
    if (before.get(path) === state || files.length >= MAX_FILES || size > left) continue;
    const bytes = await machine.read(`${machine.root}/${path}`, left);
    left -= bytes.length;
    files.push({ path, bytes });
  }
  return files;
}
