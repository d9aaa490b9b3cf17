// Kills a real `wrangler dev` in the midst of a conversation: before its person is asked, while it waits, and after the answer.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import { lines } from "../support/conversations.ts";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const KILLS_BEFORE = 10;
const KILLS_AFTER = 4;
const MODEL_DELAY_MS = 80;
const TOOL_DELAY_MS = 120;
const LAST_BEFORE = "chat/round:6/judge/reply:1/chat:1/turn:1:clerk/llm";
const LAST = "chat/round:8/writer/llm";

let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: { readonly server: Server; readonly url: string; readonly calls: string[] };
let dev: WranglerDev | undefined;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-crash-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
const client = () => new EdgecrewClient({ baseUrl: dev?.url ?? "" });

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
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

describe("DC1: a conversation killed with SIGKILL", () => {
  let undisturbed: Awaited<ReturnType<typeof record>>;
  let beforeMs = 0;
  let afterMs = 0;

  it("has an undisturbed twin to be compared with", async () => {
    const startedAt = Date.now();
    await kickoff("twin");
    await asksAna("twin");
    beforeMs = Date.now() - startedAt;
    await answers("twin");
    await calledAt("twin", LAST);
    undisturbed = await record("twin");
    afterMs = Date.now() - startedAt - beforeMs;
    expect(courseOf(undisturbed)).toMatchObject({
      status: "completed",
      places: true,
      repeatedForNothing: [],
    });
    expect(undisturbed.said).toEqual([
      "user: The shop is down",
      "triage: ",
      "_Group_Tool_Executor: Handing over to expert.",
      "expert: ",
      "_Group_Tool_Executor: known: /tools/lookup",
      "expert: The disk is full.",
      "judge: The clerk has noted it.",
      "ana: Delete the logs",
      "writer: It is written.",
    ]);
    expect(Object.values(undisturbed.calls)).toEqual(Object.values(undisturbed.calls).map(() => 1));
  });

  it.each(Array.from({ length: KILLS_BEFORE }, (_, index) => index))(
    "goes on by itself after kill %i, asks its person and ends as its twin",
    async (index) => {
      const id = `killed-${index}`;
      await kickoff(id);
      await sleep((beforeMs * index) / KILLS_BEFORE);
      await dieAndReturn();
      await calledAt(id, LAST_BEFORE);
      await asksAna(id);
      await answers(id);
      await calledAt(id, LAST);
      expect(courseOf(await record(id))).toEqual(courseOf(undisturbed));
    },
  );

  it.each(Array.from({ length: KILLS_AFTER }, (_, index) => index))(
    "keeps its person's answer over kill %i, and one before they answered",
    async (index) => {
      const id = `answered-${index}`;
      await kickoff(id);
      await asksAna(id);
      await dieAndReturn();
      await answers(id);
      await sleep((afterMs * index) / KILLS_AFTER);
      await dieAndReturn();
      await calledAt(id, LAST);
      expect(courseOf(await record(id))).toEqual(courseOf(undisturbed));
    },
  );
});

/** All that must be the same wherever the process died. */
function courseOf({ run, said, events, calls, attempts }: Awaited<ReturnType<typeof record>>) {
  const restarted = new Set(
    events.filter(({ type }) => type === "step_restarted").map(({ path }) => path),
  );
  const isExplained = (key: string, count: number): boolean =>
    count <= (attempts.get(key) ?? 0) && (count === 1 || restarted.has(key));
  return {
    status: run.status,
    said,
    requests: run.usage.requests,
    places: events.every(({ seq }, index) => seq === index + 1),
    told: told(events),
    called: Object.keys(calls).toSorted(),
    repeatedForNothing: Object.entries(calls).filter(([key, count]) => !isExplained(key, count)),
  };
}

/** Without events that tell of processes. */
function told(events: readonly RunEvent[]): readonly string[] {
  const ofProcesses = new Set(["run_waiting", "run_resumed", "step_restarted"]);
  return events.flatMap(({ id, type }) => (ofProcesses.has(type) ? [] : [id])).toSorted();
}

/** What models say, by who they are and what they have read. */
function script({ messages }: ServedRequest): ServedReply {
  const text = JSON.stringify(messages);
  const [, name = ""] = /You are (\w+)\./.exec(text) ?? [];
  const delayMs = MODEL_DELAY_MS;
  if (name === "triage")
    return { delayMs, toolCalls: [{ name: "transfer_to_expert_1", arguments: {}, id: "t" }] };
  if (name === "expert" && !text.includes("known:"))
    return { delayMs, toolCalls: [{ name: "lookup", arguments: { word: "disk" }, id: "e" }] };
  const words: Readonly<Record<string, string>> = {
    expert: "The disk is full.",
    clerk: "The clerk has noted it.",
    writer: "It is written.",
  };
  return { delayMs, text: words[name] ?? `nobody knows ${name}` };
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

function start(): Promise<WranglerDev> {
  return WranglerDev.start({
    ...project,
    vars: { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "test", OUTSIDE_URL: outside.url },
  });
}

async function dieAndReturn(): Promise<void> {
  await dev?.kill();
  dev = await start();
}

/** How often each step of a run was carried out, seen from outside. */
function counted(id: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of [...models.calls.map((call) => call.idempotencyKey ?? ""), ...outside.calls]) {
    if (!key.startsWith(`${id}:`)) continue;
    const step = key.slice(id.length + 1);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

async function kickoff(id: string): Promise<void> {
  await client().conversations.kickoff("review", { message: "The shop is down", id });
}

/** Waits, by looking at the model server alone, until a step has been carried out. */
async function calledAt(id: string, step: string): Promise<void> {
  const calls = () => JSON.stringify(counted(id));
  const called = (): boolean => counted(id)[step] !== undefined;
  for (const deadline = Date.now() + 30_000; !called() && Date.now() < deadline;) await sleep(20);
  expect(called(), `run ${id} did not go on by itself; calls: ${calls()}`).toBe(true);
  await sleep(MODEL_DELAY_MS + 200);
}

async function asksAna(id: string): Promise<void> {
  const asked = async () => (await client().runs.get(id)).waits.map(({ data }) => data?.["agent"]);
  await expect.poll(asked, { timeout: 30_000, interval: 20 }).toEqual(["ana"]);
}

async function answers(id: string): Promise<void> {
  await client().runs.handle(id).resume({ feedback: "Delete the logs" });
}

async function record(id: string) {
  const handle = client().runs.handle(id);
  await handle.output();
  const run = await handle.status();
  const { items } = await client().conversations.messages(id);
  const said = lines(items);
  const stream = await (await fetch(`${dev?.url}/runs/${id}/events`)).text();
  const events = Array.from(
    stream.matchAll(/^data: (.*)$/gm),
    (match) => JSON.parse(match[1] ?? "") as RunEvent,
  );
  const { items: steps } = (await (
    await fetch(`${dev?.url}/runs/${id}/journal?limit=200`)
  ).json()) as { items: ReadonlyArray<{ key: string; attempt: number }> };
  const attempts = new Map(steps.map(({ key, attempt }) => [key, attempt]));
  return { run, said, events, attempts, calls: counted(id) };
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
