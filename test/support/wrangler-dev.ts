// A real `wrangler dev` as a child process: started on a folder that keeps its state, killed without mercy.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { makeConsoleRoot } from "../../scripts/console-root.ts";
import { freePort } from "./free-port.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { bundledWorker } from "./worker-bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = `${root}/node_modules/wrangler/bin/wrangler.js`;

const BOOT_TIMEOUT_MS = 45_000;

export type WranglerDevOptions = {
  /** The project's folder. */
  readonly cwd: string;
  /** Path of its wrangler.toml, from there. @default "wrangler.toml" */
  readonly config?: string;
  /** Where Durable Objects and D1 keep their data. */
  readonly persistTo: string;
  readonly vars?: Readonly<Record<string, string>>;
  /** @default a free one */
  readonly port?: number;
};

const environment = {
  ...process.env,
  CI: "true",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // Wrangler traces every SQL statement of a local run for its explorer, which costs more than the statement.
  X_LOCAL_OBSERVABILITY: "false",
};

/** Brings the D1 of a persisted folder up to date. */
export function migrate({ cwd, config = "wrangler.toml", persistTo }: WranglerDevOptions): void {
  if (copyMigratedDatabase({ cwd, config, persistTo, environment })) return;
  const args = [
    wrangler,
    "d1",
    "migrations",
    "apply",
    "DB",
    "--local",
    "--config",
    config,
    "--persist-to",
    persistTo,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: environment,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the migrations failed:\n${stdout}\n${stderr}`);
}

export class WranglerDev {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #output: string[];

  private constructor(url: string, child: ChildProcess, output: string[]) {
    this.url = url;
    this.#child = child;
    this.#output = output;
  }

  /** Resolves when the Worker answers on /healthz. */
  static async start(options: WranglerDevOptions): Promise<WranglerDev> {
    const { cwd, config = "wrangler.toml", persistTo, vars = {} } = options;
    const port = options.port ?? (await freePort());
    makeConsoleRoot();
    const args = [
      "dev",
      "--local",
      "--config",
      bundledWorker({ cwd, config, environment }) ?? config,
      "--port",
      String(port),
      "--inspector-port",
      "0",
      "--persist-to",
      persistTo,
    ];
    const variables = Object.entries(vars).flatMap(([name, value]) => [
      "--var",
      `${name}:${value}`,
    ]);
    const child = spawn(
      process.execPath,
      [wrangler, ...args, "--show-interactive-dev-session=false", ...variables],
      {
        cwd,
        env: environment,
        detached: true, // a process group of its own, to be killed whole
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data: Buffer) => output.push(data.toString()));
    const dev = new WranglerDev(`http://127.0.0.1:${port}`, child, output);
    await dev.#booted();
    return dev;
  }

  /** The process, and the id of its process group. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output.join("");
  }

  /** SIGKILL to the process and all its children. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await gone;
  }

  async #booted(): Promise<void> {
    const deadline = Date.now() + BOOT_TIMEOUT_MS;
    for (;;) {
      const up = await fetch(`${this.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
      if (up) return;
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        await this.kill();
        throw new Error(`wrangler dev did not come up:\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
