// The Worker in workerd, which can be killed and started again on the same storage.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../../support/wrangler-dev.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

export type FinishedRun = {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
};

const ENDED = new Set(["completed", "failed", "cancelled"]);
const POLL_MS = 50;

export class DoorWorker {
  readonly #options: Parameters<typeof WranglerDev.start>[0];
  #worker: WranglerDev;

  private constructor(options: Parameters<typeof WranglerDev.start>[0], worker: WranglerDev) {
    this.#options = options;
    this.#worker = worker;
  }

  /** A Worker whose model is at the address. */
  static async start(modelUrl: string): Promise<DoorWorker> {
    const options = {
      cwd: root,
      config: "test/world/real-model/doors/wrangler.toml",
      persistTo: mkdtempSync(`${tmpdir()}/edgecrew-real-model-`),
      vars: { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: "none" },
    };
    migrate(options);
    const worker = await WranglerDev.start(options);
    return new DoorWorker({ ...options, port: Number(new URL(worker.url).port) }, worker);
  }

  get url(): string {
    return this.#worker.url;
  }

  /** Kills workerd without a word, and starts it on what it has stored. */
  async restart(): Promise<void> {
    await this.#worker.kill();
    this.#worker = await WranglerDev.start(this.#options);
  }

  async stop(): Promise<void> {
    await this.#worker.kill();
    rmSync(this.#options.persistTo, { recursive: true, force: true });
  }

  async get<Body>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Body> {
    const response = await fetch(`${this.url}${path}`, { headers });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    return fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Ids of the newest runs that no other run has started. */
  async runIds(): Promise<readonly string[]> {
    const { items } = await this.get<{ items: readonly { readonly id: string }[] }>(
      "/runs?top=1&limit=20",
    );
    return items.map(({ id }) => id);
  }

  /** The run when it has ended. */
  async ended(id: string): Promise<FinishedRun> {
    for (;;) {
      const run = await this.get<FinishedRun>(`/runs/${id}`, { prefer: "wait=30" });
      if (ENDED.has(run.status)) return run;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
