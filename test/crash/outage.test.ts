// The model's server goes away for 20 seconds, and the Worker is killed meanwhile: nothing is lost, and no tool runs twice.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "../../src/runtime/run.ts";
import { freePort } from "../support/free-port.ts";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const AWAY_MS = 20_000;
/** Slow enough for the server to go away before it has answered. */
const ANSWER_MS = 1_500;
const PATIENCE = { timeout: 90_000, interval: 200 };

let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: { readonly server: Server; readonly url: string; readonly calls: string[] };
let dev: WranglerDev | undefined;
let port = 0;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-outage-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };

beforeAll(async () => {
  port = await freePort();
  models = await startModelServer({ reply, port });
  outside = await startOutside();
  migrate(project);
  dev = await start();
});

afterAll(async () => {
  await dev?.kill();
  await models.stop();
  outside.server.close();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

it("DC1, J17: a model outage of 20 s with a SIGKILL loses no step of a crew and a conversation", async () => {
  await post("/crews/survivor/kickoff", { id: "crew", inputs: { topic: "tea" } });
  await expect.poll(() => outside.calls.length, PATIENCE).toBeGreaterThan(0);
  await models.stop();
  await post("/conversations/review/kickoff", { id: "talk", message: "It is down" });
  for (const id of ["crew", "talk"]) {
    await expect.poll(async () => (await get(id)).status, PATIENCE).toBe("waiting");
    const [wait] = (await get(id)).waits;
    expect(wait).toMatchObject({
      kind: "timer",
      prompt: expect.stringMatching(
        /^waiting for openai\/scripted since \S+Z: openai\/scripted failed: no answer from http:/,
      ),
    });
  }
  await dev?.kill();
  dev = await start();
  await sleep(AWAY_MS);
  models = await startModelServer({ reply, port });
  await expect.poll(async () => (await get("crew")).status, PATIENCE).toBe("completed");
  await expect.poll(async () => (await get("talk")).waits[0]?.kind, PATIENCE).toBe("human");
  expect(outside.calls).toHaveLength(new Set(outside.calls).size);
  expect((await get("crew")).tasks?.map(({ status }) => status)).toEqual(
    Array.from({ length: 3 }, () => "completed"),
  );
}, 240_000);

/** The first task looks a word up; all else is answered at once. */
function reply({ messages, body }: ServedRequest): ServedReply {
  const isFirst = !messages.some(({ role }) => role === "assistant");
  const looksUp = isFirst && JSON.stringify(messages).includes("Gather") && "tools" in body;
  return looksUp
    ? { toolCalls: [{ name: "lookup", arguments: { word: "tea" } }] }
    : { text: "A good answer.", delayMs: ANSWER_MS };
}

function start(): Promise<WranglerDev> {
  const urls = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OUTSIDE_URL: outside.url };
  return WranglerDev.start({ ...project, vars: { ...urls, OPENAI_API_KEY: "test" } });
}

/** Where tools work: notes each call by its idempotency key. */
async function startOutside(): Promise<typeof outside> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(String(request.headers["idempotency-key"]));
    response.end("known");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${dev?.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function get(id: string): Promise<Run> {
  return (await (await fetch(`${dev?.url}/runs/${id}`)).json()) as Run;
}
