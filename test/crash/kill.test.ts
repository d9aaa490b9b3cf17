// Kills a real `wrangler dev` in the midst of a run, starts it again on the same folder, and asks nothing of it: the run
// has to go on by itself and end as one that was never disturbed.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const KILLS = 24;
const MODEL_DELAY_MS = 80;
const TOOL_DELAY_MS = 120;

type Event = {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly path: string;
};
type Step = {
  readonly key: string;
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
};

let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: { readonly server: Server; readonly url: string; readonly calls: string[] };
let dev: WranglerDev | undefined;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-crash-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };

beforeAll(async () => {
  models = await startModelServer({ reply: script });
  outside = await startOutside();
  migrate(project);
  dev = await start();
});

afterAll(async () => {
  await dev?.kill();
  await models.stop();
  outside.server.close();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true }); // what killed processes left behind
});

describe("DC1: a run killed with SIGKILL", () => {
  let undisturbed: Awaited<ReturnType<typeof record>>;
  let durationMs = 0;

  it("has an undisturbed twin to be compared with", async () => {
    const startedAt = Date.now();
    await kickoff("twin");
    undisturbed = await record("twin");
    durationMs = Date.now() - startedAt;
    expect(undisturbed.run).toMatchObject({
      status: "completed",
      output: { raw: "The text about tea." },
    });
    expect(Object.values(undisturbed.calls)).toEqual(Object.values(undisturbed.calls).map(() => 1));
  });

  it.each(Array.from({ length: KILLS }, (_, index) => index))(
    "goes on by itself after kill %i and ends as its twin",
    async (index) => {
      const id = `killed-${index}`;
      await kickoff(id);
      await sleep((durationMs * index) / KILLS);
      await dev?.kill();
      const callsAtKill = counted(id);
      dev = await start();
      await finished(id);
      const { run, events, steps, calls } = await record(id);

      expect(run.output).toEqual(undisturbed.run.output);
      expect(run.usage.requests).toBe(undisturbed.run.usage.requests);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, place) => place + 1));
      const told = events
        .filter((event) => event.type !== "step_restarted")
        .map((event) => event.id);
      expect(told.toSorted()).toEqual(undisturbed.events.map((event) => event.id).toSorted());

      const restarted = new Set(
        events.filter((event) => event.type === "step_restarted").map((event) => event.path),
      );
      const calledOften = Object.keys(calls).filter((key) => (calls[key] ?? 0) > 1);
      expect(calledOften.filter((key) => !restarted.has(key))).toEqual([]);
      expect(restarted.size).toBeLessThanOrEqual(5);
      expect(Object.keys(calls).toSorted()).toEqual(Object.keys(undisturbed.calls).toSorted());
      for (const step of steps) expect(calls[step.key] ?? 0).toBeLessThanOrEqual(step.attempt);
      for (const [key, count] of Object.entries(callsAtKill))
        expect(calls[key]).toBeLessThanOrEqual(count + 1);
    },
  );
});

function start(): Promise<WranglerDev> {
  return WranglerDev.start({
    ...project,
    vars: { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "test", OUTSIDE_URL: outside.url },
  });
}

/** What the model says, by the conversation alone: three look-ups at once, one more, then the answer. */
function script({ messages }: ServedRequest): ServedReply {
  const text = JSON.stringify(messages.slice(0, 2));
  const rounds = messages.filter((message) => message.role === "assistant").length;
  const words = text.includes("Gather")
    ? [["leaf", "water", "cup"], ["steam"]]
    : text.includes("Aside")
      ? [["side", "view"]]
      : [["style"]];
  const wanted = words[rounds];
  const delay = { delayMs: MODEL_DELAY_MS };
  if (wanted !== undefined)
    return { ...delay, toolCalls: wanted.map((word) => ({ name: "lookup", arguments: { word } })) };
  return {
    ...delay,
    text: text.includes("Gather")
      ? "Facts."
      : text.includes("Aside")
        ? "A view."
        : "The text about tea.",
  };
}

async function startOutside(): Promise<typeof outside> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(String(request.headers["idempotency-key"]));
    setTimeout(() => response.end(`known: ${request.url}`), TOOL_DELAY_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** How often each step of a run was carried out, seen from outside. */
function counted(id: string): Record<string, number> {
  const keys = [...models.calls.map((call) => call.idempotencyKey ?? ""), ...outside.calls].filter(
    (key) => key.startsWith(`${id}:`),
  );
  const counts: Record<string, number> = {};
  for (const key of keys)
    counts[key.slice(id.length + 1)] = (counts[key.slice(id.length + 1)] ?? 0) + 1;
  return counts;
}

async function kickoff(id: string): Promise<void> {
  const response = await fetch(`${dev?.url}/crews/survivor/kickoff`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, inputs: { topic: "tea" } }),
  });
  expect(response.status).toBe(202);
}

/** Waits, by looking at the model server alone, until the last task has been answered. */
async function finished(id: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  const done = (): boolean => counted(id)["task:write/turn:2/llm"] !== undefined;
  while (!done() && Date.now() < deadline) await sleep(20);
  expect(done(), `run ${id} did not go on by itself; calls: ${JSON.stringify(counted(id))}`).toBe(
    true,
  );
  await sleep(MODEL_DELAY_MS + 200);
}

async function record(id: string) {
  type Run = { status: string; output: unknown; usage: { requests: number } };
  const { url } = dev ?? { url: "" };
  const run = (await (
    await fetch(`${url}/runs/${id}`, { headers: { prefer: "wait=30" } })
  ).json()) as Run;
  const stream = await (await fetch(`${url}/runs/${id}/events`)).text();
  const events = Array.from(
    stream.matchAll(/^data: (.*)$/gm),
    (match) => JSON.parse(match[1] ?? "") as Event,
  );
  const { items: steps } = (await (await fetch(`${url}/runs/${id}/journal?limit=200`)).json()) as {
    items: Step[];
  };
  return { run, events, steps, calls: counted(id) };
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
