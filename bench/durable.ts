// Durable mode in workerd against its floors, in one process and one run: CPU per model call of a bare `fetch` loop and
// of the plain SDK loop in a Worker, and of a crew in a Durable Object with journal, event log and index. Then replay, restart and size.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { startCannedServer } from "./canned-server-process.ts";
import { workerdCpuMs } from "./process-cpu.ts";

const ROUNDS = [1, 10, 50, 200];
const CALLS = 1500;
const REPETITIONS = 5;

const peer = await startCannedServer();
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-bench-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
const vars = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${peer.url}/v1` };
migrate(project);
let dev = await WranglerDev.start({ ...project, vars });

try {
  await cpu();
  await replay();
  await restart();
} finally {
  await dev.kill();
  peer.stop();
  rmSync(persistTo, { recursive: true, force: true });
}

async function cpu(): Promise<void> {
  console.log(
    "rounds   fetch ms   SDK ms   crew ms   crew - fetch   (CPU of workerd per model call, median of repetitions)",
  );
  for (const rounds of ROUNDS) {
    const variants = [
      () => fetch(`${dev.url}/floor?rounds=${rounds}`),
      () => fetch(`${dev.url}/sdk?rounds=${rounds}`),
      () => kickoff(`rounds-${rounds}`),
    ];
    const samples: number[][] = variants.map(() => []);
    for (const run of variants) await measure(run, rounds, CALLS / 5);
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      for (const [index, run] of variants.entries())
        samples[index]?.push(await measure(run, rounds, CALLS));
    }
    const [fetchMs = 0, sdkMs = 0, crewMs = 0] = samples.map(median);
    console.log(
      [
        String(rounds).padEnd(6),
        ...[fetchMs, sdkMs, crewMs, crewMs - fetchMs].map((ms) => ms.toFixed(4).padStart(9)),
      ].join("  "),
    );
  }
}

/** How long a waiting run of 2,000 steps takes from its answer to its end: one replay, and one more model call. */
async function replay(): Promise<void> {
  const { id } = (await (await kickoff("rounds-1000-ask")).json()) as { id: string };
  const { status } = await settled(id);
  const { items } = (await (
    await fetch(`${dev.url}/runs/${id}/journal?limit=1&cursor=1900`)
  ).json()) as { items: unknown[] };
  const startedAt = performance.now();
  const answer = await fetch(`${dev.url}/runs/${id}/resume`, post({ feedback: "yes" }));
  if (!answer.ok || items.length === 0)
    throw new Error(`cannot resume: ${status} ${await answer.text()}`);
  const run = await settled(id);
  console.log(
    `replay of 2,000 steps, from the answer to the end: ${(performance.now() - startedAt).toFixed(0)} ms, ${run.status} (under 1,000)`,
  );
}

/** From the moment at which the Worker answers again to the first model call of a run that was killed. */
async function restart(): Promise<void> {
  for (const afterMs of [30, 300, 1500]) {
    await fetch(`${dev.url}/crews/rounds-1000-ask/kickoff`, post({}));
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await dev.kill();
    const callsAtKill = await calls();
    dev = await WranglerDev.start({ ...project, vars });
    const startedAt = performance.now();
    while ((await calls()) === callsAtKill) await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(
      `killed after ${afterMs} ms; the run goes on ${(performance.now() - startedAt).toFixed(0)} ms after the Worker is up (under 2,000)`,
    );
  }
}

async function calls(): Promise<number> {
  return Number(await (await fetch(peer.url)).text());
}

/** CPU time of workerd per model call, in milliseconds. */
async function measure(
  run: () => Promise<Response>,
  rounds: number,
  count: number,
): Promise<number> {
  const runs = Math.max(1, Math.round(count / (rounds + 1)));
  const before = workerdCpuMs(dev.pid);
  for (let index = 0; index < runs; index++) {
    const response = await run();
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return (workerdCpuMs(dev.pid) - before) / (runs * (rounds + 1));
}

function kickoff(crew: string): Promise<Response> {
  return fetch(`${dev.url}/crews/${crew}/kickoff`, {
    ...post({}),
    headers: { "content-type": "application/json", prefer: "wait=60" },
  });
}

async function settled(id: string): Promise<{ status: string }> {
  for (;;) {
    const run = (await (
      await fetch(`${dev.url}/runs/${id}`, { headers: { prefer: "wait=60" } })
    ).json()) as { status: string };
    if (run.status !== "running" && run.status !== "queued") return run;
  }
}

function post(body: object): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
