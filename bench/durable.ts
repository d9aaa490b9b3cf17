// Durable mode in workerd against its floor, in one process and one run: CPU per model call of a bare `fetch` loop in a
// Worker, and of a crew in a Durable Object with journal, event log and index. Then replay, restart and size.
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
    "rounds   floor ms   crew ms   crew - floor   (CPU of workerd per model call, median of repetitions)",
  );
  for (const rounds of ROUNDS) {
    const floor = (): Promise<Response> => fetch(`${dev.url}/floor?rounds=${rounds}`);
    const crew = (): Promise<Response> => kickoff(`rounds-${rounds}`);
    await measure(floor, rounds, CALLS / 5);
    await measure(crew, rounds, CALLS / 5);
    const samples: [number[], number[]] = [[], []];
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      samples[0].push(await measure(floor, rounds, CALLS));
      samples[1].push(await measure(crew, rounds, CALLS));
    }
    const [floorMs, crewMs] = [median(samples[0]), median(samples[1])];
    console.log(
      [
        String(rounds).padEnd(6),
        ...[floorMs, crewMs, crewMs - floorMs].map((ms) => ms.toFixed(4).padStart(9)),
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
