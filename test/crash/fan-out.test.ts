// Kills a real `wrangler dev`, its queue included, in the midst of a fan-out of fifty tasks over child runs, and starts it
// again on the same folder: the run has to go on by itself and end as if nothing had been.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

/** When it is killed, in milliseconds after its start: while children are dispatched, work, and report. */
const KILLS = [40, 150, 300, 500, 800, 1200];

type Run = {
  readonly id: string;
  readonly status: string;
  readonly error?: unknown;
  readonly usage: { readonly requests: number };
  readonly output?: { readonly raw: string; readonly tasks: ReadonlyArray<{ name: string }> };
};

const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-crash-fan-out-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
const toolCalls: string[] = [];
let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: Server;
let dev: WranglerDev | undefined;

beforeAll(async () => {
  models = await startModelServer({ reply: script });
  outside = createServer((request, response) => {
    toolCalls.push(String(request.headers["idempotency-key"]));
    setTimeout(() => response.end("known"), 40);
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  migrate(project);
  dev = await start();
});

afterAll(async () => {
  await dev?.kill();
  await models.stop();
  outside.close();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

it.each(KILLS)("DC1: goes on by itself after a kill %i ms into a fan-out", async (afterMs) => {
  const id = `wide-${afterMs}`;
  await ask(`/crews/wide/kickoff`, { id, inputs: { topic: "tea" } });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await dev?.kill();
  dev = await start();
  const run = await completed(id);
  expect(run.error).toBeUndefined();
  expect(run.output?.raw).toBe("The text.");
  const names = Array.from({ length: 50 }, (_, index) => `part-${index}`);
  expect(run.output?.tasks.map(({ name }) => name)).toEqual([...names, "write"]);
  // Two model calls for each part, one for the text, whatever was repeated: only recorded ones count.
  expect(run.usage.requests).toBe(101);

  const { items } = await ask<{ items: Run[] }>(`/runs?parent=${id}&limit=100`);
  expect(items).toHaveLength(5);
  for (const child of items) {
    const own = toolCalls.filter((key) => key.startsWith(`${child.id}:`));
    const steps = await ask<{ items: Array<{ key: string; attempt: number }> }>(
      `/runs/${child.id}/journal?limit=200`,
    );
    for (const { key, attempt } of steps.items)
      expect(own.filter((each) => each === `${child.id}:${key}`).length).toBeLessThanOrEqual(
        attempt,
      );
    expect(new Set(own).size).toBe(10);
  }
});

function start(): Promise<WranglerDev> {
  const { port } = outside.address() as AddressInfo;
  const OUTSIDE_URL = `http://127.0.0.1:${port}`;
  return WranglerDev.start({
    ...project,
    vars: { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "test", OUTSIDE_URL },
  });
}

/** One look-up, then the answer. */
function script({ messages }: ServedRequest): ServedReply {
  const isPart = JSON.stringify(messages.slice(0, 2)).includes("Aside");
  const looked = messages.some((message) => message.role === "assistant");
  if (isPart && !looked)
    return { delayMs: 30, toolCalls: [{ name: "lookup", arguments: { word: "part" } }] };
  return { delayMs: 30, text: isPart ? "A view." : "The text." };
}

async function completed(id: string): Promise<Run> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const run = await ask<Run>(`/runs/${id}`);
    if (run.status === "completed" || run.status === "failed") return run;
    if (Date.now() > deadline) throw new Error(`run ${id} is still ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`${dev?.url}${path}`, {
    ...(body === undefined ? undefined : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
  });
  if (!response.ok)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
