// Flows that call no model: CPU of a kickoff in Node beside the same methods as bare functions, CPU per method in a Durable
// Object, and what ten thousand flows cost that wait for a person.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";
import { chainFlow, fanFlow } from "./flows.ts";
import { workerdCpuMs } from "./process-cpu.ts";

const REPETITIONS = 9;
const WAITING = Number(process.env["WAITING_FLOWS"] ?? 10_000);
const AT_ONCE = 20;
const IDLE_MS = 10_000;

await library();
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-bench-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };
migrate(project);
const dev = await WranglerDev.start(project);
try {
  await durable();
  await waiting();
} finally {
  await dev.kill();
  rmSync(persistTo, { recursive: true, force: true });
}

/** CPU of this process per kickoff. The bare functions work on copies of the state, as methods do. */
async function library(): Promise<void> {
  const [chain, fan] = [chainFlow(10), fanFlow(100)];
  let state = { n: 0 };
  const method = async (): Promise<void> => {
    const own = structuredClone(state);
    own.n++;
    await Promise.resolve();
    state = own;
  };
  const variants = [
    { name: "10 bare functions in a row", runs: 4000, run: async () => inTurn(10, method) },
    { name: "chain of 10 methods", runs: 1000, aim: 0.12, run: () => chain.kickoff() },
    {
      name: "100 bare functions at once",
      runs: 1000,
      run: () => Promise.all(Array.from({ length: 100 }, method)),
    },
    { name: "fan-out of 100 and join", runs: 150, aim: 1, run: () => fan.kickoff() },
  ];
  for (const { run, runs } of variants) await inTurn(2 * runs, run);
  const samples: number[][] = variants.map(() => []);
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const [index, { run, runs }] of variants.entries()) {
      const before = process.cpuUsage();
      await inTurn(runs, run);
      const { user, system } = process.cpuUsage(before);
      samples[index]?.push((user + system) / 1000 / runs);
    }
  }
  for (const [index, { name, aim }] of variants.entries()) {
    const told = aim === undefined ? "" : ` (at most ${aim})`;
    console.log(
      `${name.padEnd(28)} ${median(samples[index] ?? []).toFixed(4)} ms CPU per kickoff${told}`,
    );
  }
}

/** CPU of workerd per method: what 99 methods more cost, and 101 at once, over the cost of a run. */
async function durable(): Promise<void> {
  const flows = ["chain-1", "chain-100", "fan-100"];
  const runs = 40;
  const samples: number[][] = flows.map(() => []);
  for (const flow of flows) await inTurn(runs, () => kickoff(flow));
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const [index, flow] of flows.entries()) {
      const before = workerdCpuMs(dev.pid);
      await inTurn(runs, () => kickoff(flow));
      samples[index]?.push((workerdCpuMs(dev.pid) - before) / runs);
    }
  }
  const [one = 0, chain = 0, fan = 0] = samples.map(median);
  console.log(
    `durable: a run of 1 method ${one.toFixed(2)} ms CPU; in a row ${((chain - one) / 99).toFixed(3)} ms for each further method, at once ${((fan - one) / 101).toFixed(3)} ms (at most 0.4)`,
  );
}

/** Starts them, and looks at what they cost while they wait. */
async function waiting(): Promise<void> {
  const idleBefore = await idleCpuMs();
  const startedAt = performance.now();
  const cpuBefore = workerdCpuMs(dev.pid);
  let started = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (started++ < WAITING) await post("/flows/waiting/kickoff", {});
    }),
  );
  const listed = await settledWaits();
  const cpuMs = workerdCpuMs(dev.pid) - cpuBefore;
  console.log(
    `${listed} flows wait: started in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${(cpuMs / WAITING).toFixed(1)} ms CPU each`,
  );
  const idleAfter = await idleCpuMs();
  console.log(
    `CPU of workerd in ${IDLE_MS / 1000} s: ${idleBefore.toFixed(0)} ms before them, ${idleAfter.toFixed(0)} ms while they wait (no more)`,
  );
  const times: number[] = [];
  let cursor: string | undefined;
  do {
    const before = performance.now();
    const page = await waitsPage(cursor);
    times.push(performance.now() - before);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  console.log(
    `GET /waits, ${times.length} pages of 100: median ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms (under 50)`,
  );
}

/** Counts the waits until no more come. */
async function settledWaits(): Promise<number> {
  for (let last = -1; ;) {
    let count = 0;
    for (
      let cursor: string | undefined, first = true;
      first || cursor !== undefined;
      first = false
    ) {
      const page = await waitsPage(cursor);
      count += page.items.length;
      cursor = page.nextCursor;
    }
    if (count >= WAITING || count === last) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

async function waitsPage(
  cursor: string | undefined,
): Promise<{ items: unknown[]; nextCursor?: string }> {
  const at = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  const response = await fetch(`${dev.url}/waits?limit=100${at}`);
  return (await response.json()) as { items: unknown[]; nextCursor?: string };
}

async function idleCpuMs(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 15_000)); // what was just done has come to rest
  const before = workerdCpuMs(dev.pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return workerdCpuMs(dev.pid) - before;
}

async function kickoff(flow: string): Promise<void> {
  const response = await post(`/flows/${flow}/kickoff`, {}, { prefer: "wait=60" });
  const { status } = (await response.json()) as { status: string };
  if (status !== "completed") throw new Error(`flow ${flow} is ${status}`);
}

async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(`${dev.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

async function inTurn(times: number, run: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await run();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
