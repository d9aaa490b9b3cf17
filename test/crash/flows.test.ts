// Kills a real `wrangler dev` between every two methods of the example flows: seen from outside, each call of the model is made
// once, or once more where it was under way.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import announce from "../../examples/samples/announce.json" with { type: "json" };
import tighten from "../../examples/samples/tighten.json" with { type: "json" };
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

/** How long a method is looked at from outside before it begins: time to kill it there. */
const METHOD_DELAY_MS = 150;

const EXAMPLES = [
  {
    name: "announce",
    inputs: announce.inputs,
    answers: ["revise", "approve", "Monday"],
    methods: 6,
  },
  { name: "tighten", inputs: tighten.inputs, answers: [], methods: 7 },
  { name: "inbox-digest", inputs: {}, answers: [], methods: 4 },
] as const;
type Example = (typeof EXAMPLES)[number];

type Run = {
  readonly status: string;
  readonly output?: { readonly value: unknown; readonly state: Record<string, unknown> };
  readonly error?: unknown;
  readonly usage: { readonly requests: number };
  readonly waits: ReadonlyArray<{ readonly key: string }>;
};

let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: { readonly server: Server; readonly url: string; readonly calls: string[] };
let dev: WranglerDev;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-crash-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };

beforeAll(async () => {
  models = await startModelServer({ reply: script });
  outside = await startOutside();
  migrate(project);
  dev = await start();
});

afterAll(async () => {
  await dev.kill();
  await models.stop();
  outside.server.close();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

describe.each(EXAMPLES)("DC1: the flow $name", (example) => {
  it("ends as an undisturbed one when the process is killed between every two of its methods", async () => {
    const calm = await play(example, `${example.name}-calm`, async () => {});
    expect(calm.run.status).toBe("completed");
    expect(calm.methods).toHaveLength(example.methods);
    expect(calm.calls.every(([, count]) => count === 1)).toBe(true);

    const id = `${example.name}-killed`;
    let kills = 0;
    const killed = await play(example, id, async () => {
      await dev.kill();
      kills++;
      dev = await start();
    });
    expect(kills).toBeGreaterThanOrEqual(example.methods - 1);
    expect(given(killed.run)).toEqual(given(calm.run));
    expect(killed.run.usage).toEqual(calm.run.usage);
    expect(killed.methods.toSorted()).toEqual(calm.methods.toSorted());
    expect(killed.calls).toEqual(calm.calls);
  });
});

it("DC2: a flow waiting for a person outlives the runtime", async () => {
  const id = "announce-patient";
  await post("/flows/announce/kickoff", { id, inputs: announce.inputs });
  const before = await read(id, (run) => run.status === "waiting");
  const calls = countsOf(id);
  await dev.kill();
  dev = await start();
  expect(await read(id, () => true)).toEqual(before);
  await post(`/runs/${id}/resume`, { feedback: "reject" });
  const { output } = await read(id, (run) => run.status === "completed");
  expect(output?.value).toBe("rejected");
  expect(countsOf(id)).toEqual(calls);
});

/** Runs a flow to its end; when outside sees a method for the first time, and while a person is waited for, `disturb` strikes. */
async function play({ name, inputs, answers }: Example, id: string, disturb: () => Promise<void>) {
  const open: string[] = [...answers];
  const seen = new Set<string>();
  await post(`/flows/${name}/kickoff`, { id, inputs });
  for (;;) {
    const fresh = methodsOf(id).filter((method) => !seen.has(method));
    for (const method of fresh) seen.add(method);
    if (fresh.length > 0) await disturb();
    const run = await status(id);
    const [wait] = run.waits;
    if (run.status === "completed" || run.status === "failed")
      return { run, methods: methodsOf(id), calls: countsOf(id) };
    if (run.status === "waiting" && wait !== undefined) {
      await disturb();
      await post(`/runs/${id}/resume`, { key: wait.key, feedback: open.shift() ?? "" });
    }
    await sleep(10);
  }
}

/** What a flow gave, but for the id that is its own in each run. */
function given({ status: ended, output, error }: Run): unknown {
  return { ended, error, value: output?.value, state: { ...output?.state, id: "" } };
}

/** The methods that outside saw begin, each once. */
function methodsOf(id: string): readonly string[] {
  return [...new Set(outside.calls.filter((key) => key.startsWith(`${id}:`)))].map((key) =>
    key.slice(id.length + 1),
  );
}

/** How often each call of the model was made. */
function countsOf(id: string): ReadonlyArray<readonly [string, number]> {
  const counts = new Map<string, number>();
  for (const { idempotencyKey = "" } of models.calls)
    if (idempotencyKey.startsWith(`${id}:`)) {
      const key = idempotencyKey.slice(id.length + 1);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** What the model says: shorter texts for the editor in turn, notes and digests for the others. */
function script({ messages }: ServedRequest): ServedReply {
  const text = JSON.stringify(messages);
  if (!text.includes("<report>")) return { text: "## Notes\n\n- All is well." };
  return { text: JSON.stringify({ text: text.includes("One line.") ? "Fine." : longText() }) };
}

/** Still too long for one more round. */
function longText(): string {
  return `One line. ${"word ".repeat(70)}`.trim();
}

function start(): Promise<WranglerDev> {
  return WranglerDev.start({
    ...project,
    vars: { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: "test", OUTSIDE_URL: outside.url },
  });
}

async function startOutside(): Promise<typeof outside> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(String(request.headers["idempotency-key"]));
    setTimeout(() => response.end("seen"), METHOD_DELAY_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

async function read(id: string, until: (run: Run) => boolean): Promise<Run> {
  for (const deadline = Date.now() + 30_000; ; await sleep(20)) {
    const run = await status(id);
    if (until(run)) return run;
    if (Date.now() > deadline) throw new Error(`run ${id} is ${JSON.stringify(run)}`);
  }
}

async function status(id: string): Promise<Run> {
  return (await (await fetch(`${dev.url}/runs/${id}`)).json()) as Run;
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${dev.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
