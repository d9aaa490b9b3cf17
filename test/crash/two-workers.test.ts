// Two Workers that talk over A2A: ours as the client, ours as the server. Either is killed while the other works for it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const cwd = fileURLToPath(new URL("../..", import.meta.url));
const SLOW_SECONDS = 6;

/** A Worker on a folder and a port of its own, that comes back after a kill. */
class Node {
  readonly #project = { cwd, persistTo: mkdtempSync(`${tmpdir()}/edgecrew-two-`) };
  #dev: WranglerDev | undefined;
  #port: number | undefined;

  async start(): Promise<void> {
    if (this.#port === undefined) migrate(this.#project);
    const port = this.#port === undefined ? {} : { port: this.#port };
    this.#dev = await WranglerDev.start({ ...this.#project, ...port });
    this.#port = Number(new URL(this.#dev.url).port);
  }

  get client(): EdgecrewClient {
    return new EdgecrewClient({ baseUrl: this.url });
  }

  get url(): string {
    return this.#dev?.url ?? "";
  }

  async restart(): Promise<void> {
    await this.#dev?.kill();
    await this.start();
  }

  async close(): Promise<void> {
    await this.#dev?.kill();
    rmSync(this.#project.persistTo, { recursive: true, force: true });
  }
}

describe("two Workers", () => {
  const server = new Node();
  const asker = new Node();

  beforeAll(async () => {
    await Promise.all([server.start(), asker.start()]);
    await server.client.crews.put("slow", {
      agents: { clock: { role: "Clock", goal: "Wait", backstory: "Patient.", tools: ["wait"] } },
      tasks: [
        {
          name: "wait",
          description: `Wait ${SLOW_SECONDS} seconds`,
          expectedOutput: "A word",
          agent: "clock",
        },
      ],
    });
    await asker.client.crews.put("asker", {
      agents: {
        planner: {
          role: "Planner",
          goal: "Ask others",
          backstory: "Careful.",
          a2a: { endpoint: `${server.url}/a2a/slow`, name: "slow" },
        },
      },
      tasks: [
        {
          name: "ask",
          description: "Ask slow to wait",
          expectedOutput: "A word",
          agent: "planner",
        },
      ],
    });
  }, 120_000);

  afterAll(() => Promise.all([server.close(), asker.close()]));

  /** The runs that the server did for its callers. */
  async function served(): Promise<readonly string[]> {
    const { items } = await server.client.runs.list({ name: "slow", limit: 50 });
    return items.map(({ id }) => id);
  }

  /** Starts a crew that asks, waits until the server works for it, and kills one of the two. Returns what came of it. */
  async function askAndKill(
    victim: Node,
  ): Promise<{ output: unknown; served: number; finished: number }> {
    const before = await served();
    const run = await asker.client.crews.kickoff("asker");
    const deadline = Date.now() + 20_000;
    while ((await served()).length === before.length) {
      expect(Date.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await victim.restart();
    const again = asker.client.runs.handle(run.id);
    const output = await again.output();
    const events = await fetch(`${asker.url}/runs/${run.id}/events?types=tool_usage_finished`, {
      headers: { accept: "text/event-stream" },
    }).then((response) => response.text());
    const finished = events.match(/event: tool_usage_finished/g)?.length ?? 0;
    return { output, served: (await served()).length - before.length, finished };
  }

  const ONCE = { output: { tasks: [{ usedTools: 1, toolsErrors: 0 }] }, served: 1, finished: 1 };

  it("the asker is killed while the other works: it goes on with the same task", async () => {
    expect(await askAndKill(asker)).toMatchObject(ONCE);
  }, 120_000);

  it("the server is killed in the middle of the stream: the asker takes it up again", async () => {
    expect(await askAndKill(server)).toMatchObject(ONCE);
  }, 120_000);
});
