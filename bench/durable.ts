// Durable mode in workerd, each figure beside its peer in the same run and with the bound that it has to keep: CPU of a model call
// beside a bare `fetch` loop and the plain SDK loop in a Worker, CPU of a run beside an empty object with one table, what a client
// waits for, replay and restart.
//
// Each section has a Worker of its own: SQLite looks through all files that a process has open when it opens one more, and objects
// stay open for some seconds.
//
//   node bench/durable.ts [--quick] [calls] [runs] [batch] [waits] [readers] [replay] [restart]
import { DurableBed, median, post, row } from "./durable-bed.ts";
import { firstCall, firstToken, readers } from "./durable-waits.ts";

const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const ROUNDS = [0, 10, 50, 200] as const;
const CALLS = isQuick ? 400 : 1500;
const REPETITIONS = isQuick ? 3 : 5;

let bed: DurableBed;
const sections = { calls, runs, batch, waits, readers: () => readers(bed), replay, restart };
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  bed = await DurableBed.open();
  try {
    await measure();
  } finally {
    await bed.close();
  }
}

/** CPU of a model call with its tool, and whether it grows with the calls before it. */
async function calls(): Promise<void> {
  const variants = [
    (rounds: number) => bed.get(`/floor?rounds=${rounds}`),
    (rounds: number) => bed.get(`/sdk?rounds=${rounds}`),
    (rounds: number) => bed.kickoff(`rounds-${rounds}`),
    (rounds: number) => bed.get(`/sdk-rows?rounds=${rounds}`),
  ];
  const samples = new Map<string, number[]>();
  for (let repetition = -1; repetition < REPETITIONS; repetition++)
    for (const rounds of ROUNDS)
      for (const [at, run] of variants.entries()) {
        const count = Math.ceil((repetition < 0 ? CALLS / 5 : CALLS) / (rounds + 1));
        const cpuMs = await bed.cpuOf(count, () => run(rounds));
        if (repetition < 0) continue; // warming up
        const key = `${at} ${rounds}`;
        samples.set(key, [...(samples.get(key) ?? []), cpuMs / count]);
      }
  const runMs = (at: number, rounds: number): number => median(samples.get(`${at} ${rounds}`));
  const stepMs = (at: number, rounds: number): number =>
    (runMs(at, rounds) - runMs(at, 0)) / rounds;
  console.log("CPU of a call, ms      fetch        SDK       crew  SDK+rows   crew-SDK");
  for (const rounds of ROUNDS) {
    const [fetchMs = 0, sdkMs = 0, crewMs = 0, rowsMs = 0] = variants.map(
      (_, at) => runMs(at, rounds) / (rounds + 1),
    );
    row(
      `T = ${rounds}`,
      [fetchMs, sdkMs, crewMs, rowsMs, crewMs - sdkMs],
      rounds === 50 ? "at most 0.35" : "",
    );
  }
  console.log("CPU of a further call  fetch        SDK       crew  SDK+rows   crew-SDK");
  const above = (rounds: number): number => stepMs(2, rounds) - stepMs(1, rounds);
  for (const rounds of [10, 50, 200])
    row(`T = ${rounds}`, [...[0, 1, 2, 3].map((at) => stepMs(at, rounds)), above(rounds)]);
  row("crew, T = 200 / T = 10", [stepMs(2, 200) / stepMs(2, 10)], "at most 1.1");
  row("the same above the SDK", [above(200) / above(10)]);
}

/** CPU of a run with a model that answers at once. */
async function runs(): Promise<void> {
  const count = isQuick ? 100 : 200;
  const single: number[][] = [[], [], [], []];
  for (let repetition = -1; repetition < REPETITIONS; repetition++)
    for (const [at, run] of [
      () => bed.get("/bare?loops=1"),
      () => bed.get("/objects?count=1"),
      () => bed.get("/bare-run"),
      () => bed.kickoff("one-task"),
    ].entries()) {
      const cpuMs = await bed.cpuOf(count, run);
      if (repetition >= 0) single[at]?.push(cpuMs / count);
    }
  const [nothingMs = 0, objectMs = 0, bareMs = 0, runMs = 0] = single.map(median);
  console.log("CPU of a request, ms nothing     object  its alarm, D1   run   run-object");
  row("a run of one task", [nothingMs, objectMs, bareMs, runMs, runMs - objectMs], "at most 4");
}

/** The same in a batch. */
async function batch(): Promise<void> {
  const samples: number[][] = [[], []];
  const size = 1000;
  for (let repetition = -1; repetition < REPETITIONS; repetition++)
    for (const [at, run] of [
      () => bed.get(`/objects?count=${size}`),
      () => runBatch(size),
    ].entries()) {
      const cpuMs = await bed.cpuOf(1, run);
      if (repetition >= 0) samples[at]?.push(cpuMs / size);
    }
  const [emptyMs = 0, batchMs = 0] = samples.map(median);
  console.log("CPU in a batch of 1,000, ms  object     run   run-object");
  row("a run of two tasks", [emptyMs, batchMs, batchMs - emptyMs], "run: at most 3.5");
}

async function runBatch(size: number): Promise<Response> {
  const inputs = Array.from({ length: size }, (_, index) => ({ topic: `tea ${index}` }));
  const started = await bed.send("/crews/two-tasks/kickoff-for-each", { inputs });
  const { id } = (await started.json()) as { id: string };
  const { status } = await bed.settled(id);
  if (status !== "completed") throw new Error(`the batch is ${status}`);
  return new Response();
}

async function waits(): Promise<void> {
  console.log("a client waits, ms           peer        run     run-peer");
  await firstCall(bed, isQuick ? 60 : 200);
  await firstToken(bed, isQuick ? 40 : 100);
}

/** How long a waiting run of 2,000 steps takes from its answer to its end: one replay, and one more model call. */
async function replay(): Promise<void> {
  const { id } = (await (await bed.kickoff("rounds-1000-ask")).json()) as { id: string };
  const { status } = await bed.settled(id);
  const page = await bed.get(`/runs/${id}/journal?limit=1&cursor=1900`);
  const { items } = (await page.json()) as { items: unknown[] };
  const startedAt = performance.now();
  const answer = await fetch(`${bed.url}/runs/${id}/resume`, post({ feedback: "yes" }));
  if (!answer.ok || items.length === 0)
    throw new Error(`cannot resume: ${status} ${await answer.text()}`);
  const run = await bed.settled(id);
  const ms = performance.now() - startedAt;
  row(`replay of 2,000 steps, ${run.status}, ms`, [ms], "at most 1,000");
}

/** From the moment at which the Worker answers again to the first model call of a run that was killed. */
async function restart(): Promise<void> {
  for (const afterMs of [30, 300, 1500]) {
    await bed.send("/crews/rounds-1000-ask/kickoff", {});
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await bed.dev.kill();
    const callsAtKill = await bed.calls();
    await bed.start();
    const startedAt = performance.now();
    while ((await bed.calls()) === callsAtKill)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const ms = performance.now() - startedAt;
    row(`killed after ${afterMs} ms, goes on after, ms`, [ms], "at most 2,000");
  }
}
