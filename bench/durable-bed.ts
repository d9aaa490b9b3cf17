// What the figures of durable mode are measured in: a Worker in workerd, and the canned server in a process of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { startCannedServer } from "./canned-server-process.ts";
import { workerdCpuMs } from "./process-cpu.ts";

type Peer = Awaited<ReturnType<typeof startCannedServer>>;

export class DurableBed {
  dev: WranglerDev;
  readonly #peer: Peer;
  readonly #persistTo: string;

  private constructor(dev: WranglerDev, peer: Peer, persistTo: string) {
    this.dev = dev;
    this.#peer = peer;
    this.#persistTo = persistTo;
  }

  static async open(): Promise<DurableBed> {
    const peer = await startCannedServer();
    const persistTo = mkdtempSync(`${process.env["BENCH_DIR"] ?? tmpdir()}/edgecrew-bench-`);
    const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
    migrate(project);
    return new DurableBed(await startDev(peer, persistTo), peer, persistTo);
  }

  /** Starts the Worker again, over what it kept. */
  async start(): Promise<void> {
    this.dev = await startDev(this.#peer, this.#persistTo);
  }

  async close(): Promise<void> {
    await this.dev.kill();
    this.#peer.stop();
    rmSync(this.#persistTo, { recursive: true, force: true });
  }

  get url(): string {
    return this.dev.url;
  }

  /** How many requests the canned server has had. */
  async calls(): Promise<number> {
    return Number(await (await fetch(this.#peer.url)).text());
  }

  /** When its last request came and when its first word left, in milliseconds of the machine's monotonic clock. */
  async times(): Promise<{ readonly cameAt: number; readonly spokeAt: number }> {
    return (await (await fetch(`${this.#peer.url}/times`)).json()) as never;
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.url}${path}`);
  }

  async send(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.url}${path}`, post(body, headers));
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return response;
  }

  /** A run of a crew, waited for. */
  kickoff(crew: string): Promise<Response> {
    return this.send(`/crews/${crew}/kickoff`, { inputs: { topic: "tea" } }, { prefer: "wait=60" });
  }

  async settled(id: string): Promise<{ status: string; startedAt: string; finishedAt: string }> {
    for (;;) {
      const response = await fetch(`${this.url}/runs/${id}`, { headers: { prefer: "wait=60" } });
      const run = (await response.json()) as Awaited<ReturnType<DurableBed["settled"]>>;
      if (run.status !== "running" && run.status !== "queued") return run;
    }
  }

  /** CPU of workerd for so many requests, one after the other. */
  async cpuOf(count: number, run: () => Promise<Response>): Promise<number> {
    const before = workerdCpuMs(this.dev.pid);
    for (let index = 0; index < count; index++) {
      const response = await run();
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
    return workerdCpuMs(this.dev.pid) - before;
  }
}

function startDev(peer: Peer, persistTo: string): Promise<WranglerDev> {
  const vars = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${peer.url}/v1` };
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return WranglerDev.start({ cwd, persistTo, vars });
}

export function post(body: object, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

export function median(values: readonly number[] = []): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Milliseconds of the machine's monotonic clock. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Prints figures, and the bound of the last one. */
export function row(label: string, figures: readonly number[], bound = ""): void {
  const numbers = figures.map((figure) => figure.toFixed(3).padStart(9)).join("  ");
  console.log(`${label.padEnd(18)}  ${numbers}  ${bound && `(${bound})`}`);
}
