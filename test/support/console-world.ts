// The real Worker with the console's pages, and a browser before it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { migrate, WranglerDev, type WranglerDevOptions } from "./wrangler-dev.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
export class ConsoleWorld {
  readonly #persistTo: string;
  readonly #options: WranglerDevOptions;
  #dev: WranglerDev;
  readonly #browser: Browser;
  readonly url: string;
  readonly faults: string[] = [];

  private constructor(parts: {
    readonly options: WranglerDevOptions;
    readonly dev: WranglerDev;
    readonly browser: Browser;
    readonly url: string;
    readonly persistTo: string;
  }) {
    this.#persistTo = parts.persistTo;
    this.#options = parts.options;
    this.#dev = parts.dev;
    this.#browser = parts.browser;
    this.url = parts.url;
  }

  /** A fresh Worker with nothing stored. */
  static async start(
    executablePath: string,
    vars: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleWorld> {
    const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-console-`);
    const options = { cwd: root, persistTo, vars };
    migrate(options);
    const dev = await WranglerDev.start(options);
    return new ConsoleWorld({
      options: { ...options, port: Number(new URL(dev.url).port) },
      dev,
      browser: await launchChromium(executablePath),
      url: dev.url,
      persistTo,
    });
  }

  /** A page of its own, in a context of its own; what goes wrong in it is in `faults`. */
  async open(path: string, context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.#browser.newContext())).newPage();
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      if (
        message.type() === "error" &&
        /Content Security Policy|React|Uncaught/.test(message.text())
      )
        this.faults.push(message.text());
    });
    await page.goto(`${this.url}/console${path}`);
    return page;
  }

  get browser(): Browser {
    return this.#browser;
  }

  /** Asks the Worker as another program does: GET without a body, POST with one. */
  async json<T>(path: string, body?: unknown, key?: string): Promise<T> {
    const headers = {
      ...(body === undefined ? undefined : { "content-type": "application/json" }),
      ...(key === undefined ? undefined : { authorization: `Bearer ${key}` }),
    };
    const response = await fetch(
      this.url + path,
      body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
    );
    return (await response.json()) as T;
  }

  /** SIGKILL to the Worker and all that serves it. */
  kill(): Promise<void> {
    return this.#dev.kill();
  }

  /** Serves again what was killed, at the same address and with what it had stored. */
  async serveAgain(): Promise<void> {
    this.#dev = await WranglerDev.start(this.#options);
  }

  async put(path: string, body: unknown): Promise<void> {
    const response = await fetch(this.url + path, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`PUT ${path}: ${await response.text()}`);
  }

  /** Waits until the run has ended, and answers how. */
  async ended(id: string): Promise<string> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const { status } = await this.json<{ readonly status: string }>(`/runs/${id}`);
      if (["completed", "failed", "cancelled"].includes(status)) return status;
      await setTimeout(300);
    }
    throw new Error(`run ${id} does not end`);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#dev.kill();
    rmSync(this.#persistTo, { recursive: true, force: true });
  }
}
