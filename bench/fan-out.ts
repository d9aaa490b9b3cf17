// Fan-out in workerd on a model that answers at once: what a batch costs per run beside runs that are started one by one,
// whether its memory stays flat, and what handing asynchronous tasks to child runs costs per task.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { workerdCpuMs, workerdMemoryMb } from "./process-cpu.ts";

const TASKS = 100;
const REPETITIONS = 7;

const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-bench-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
migrate(project);
const dev = await WranglerDev.start(project);

try {
  await asyncTasks();
  await batches();
} finally {
  await dev.kill();
  rmSync(persistTo, { recursive: true, force: true });
}

async function asyncTasks(): Promise<void> {
  const crews = ["in-turn-100", "beside-100", "fanned-out-100"];
  const walls: number[][] = crews.map(() => []);
  const cpus: number[][] = crews.map(() => []);
  for (const crew of crews) await run(crew);
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const [index, crew] of crews.entries()) {
      const { wallMs, cpuMs } = await run(crew);
      walls[index]?.push(wallMs / TASKS);
      cpus[index]?.push(cpuMs / TASKS);
    }
  }
  const [base = 0] = walls.map(median);
  for (const [index, crew] of crews.entries()) {
    const wallMs = median(walls[index] ?? []);
    console.log(
      `${crew.padEnd(16)} wall ${wallMs.toFixed(2)} ms per task (${(wallMs - base).toFixed(2)} above in turn), CPU ${median(cpus[index] ?? []).toFixed(2)} ms`,
    );
  }
}

async function run(crew: string): Promise<{ wallMs: number; cpuMs: number }> {
  const cpuBefore = workerdCpuMs(dev.pid);
  const startedAt = performance.now();
  const response = await post(`/crews/${crew}/kickoff`, { inputs: { topic: "tea" } });
  const { id } = (await response.json()) as { id: string };
  await completed(id);
  return { wallMs: performance.now() - startedAt, cpuMs: workerdCpuMs(dev.pid) - cpuBefore };
}

async function batches(): Promise<void> {
  for (const count of [100, 1000, 1000]) {
    const inputs = Array.from({ length: count }, (_, index) => ({ topic: `tea ${index}` }));
    const cpuBefore = workerdCpuMs(dev.pid);
    const memoryBefore = workerdMemoryMb(dev.pid);
    let peak = memoryBefore;
    const sampler = setInterval(() => (peak = Math.max(peak, workerdMemoryMb(dev.pid))), 200);
    const startedAt = performance.now();
    const response = await post("/crews/two-tasks/kickoff-for-each", { inputs });
    const { id } = (await response.json()) as { id: string };
    const { items } = await completed(id);
    const wallMs = performance.now() - startedAt;
    clearInterval(sampler);
    const done = items?.filter(({ status }) => status === "completed").length ?? 0;
    console.log(
      `batch of ${count}: ${done} completed, wall ${(wallMs / 1000).toFixed(1)} s, ${(wallMs / count).toFixed(1)} ms wall and ${((workerdCpuMs(dev.pid) - cpuBefore) / count).toFixed(1)} ms CPU per run, memory ${memoryBefore.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`,
    );
  }
  await bareLoops();
  const single = 100;
  const cpuBefore = workerdCpuMs(dev.pid);
  const startedAt = performance.now();
  for (let index = 0; index < single; index++) await run("two-tasks");
  console.log(
    `one by one: ${((performance.now() - startedAt) / single).toFixed(1)} ms wall and ${((workerdCpuMs(dev.pid) - cpuBefore) / single).toFixed(1)} ms CPU per run`,
  );
}

/** The floor: the same calls in bare loops, all in one request, and a request for each. */
async function bareLoops(): Promise<void> {
  for (const [requests, loops] of [
    [1, 1000],
    [1000, 1],
  ] as const) {
    const cpuBefore = workerdCpuMs(dev.pid);
    const startedAt = performance.now();
    for (let request = 0; request < requests; request++)
      await (await fetch(`${dev.url}/bare?loops=${loops}`)).text();
    const runs = requests * loops;
    console.log(
      `${runs} bare loops in ${requests} request(s): ${((performance.now() - startedAt) / runs).toFixed(3)} ms wall and ${((workerdCpuMs(dev.pid) - cpuBefore) / runs).toFixed(3)} ms CPU per run`,
    );
  }
}

async function completed(id: string): Promise<{ items?: Array<{ status: string }> }> {
  for (;;) {
    const response = await fetch(`${dev.url}/runs/${id}`, { headers: { prefer: "wait=60" } });
    const { status, output, error } = (await response.json()) as {
      status: string;
      output: never;
      error: unknown;
    };
    if (status === "completed") return output;
    if (status === "failed") throw new Error(JSON.stringify(error));
  }
}

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`${dev.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
