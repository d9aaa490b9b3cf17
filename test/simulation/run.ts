// `npm run sim -- --programs 20000 --seed 7`: random programs in random worlds, one thread per core.
//
//   --store memory|sqlite   where runs are kept. Default: memory
//   --threads <n>           how many share the programs: a seed means the same programs only with as many. Default: one per core
//   --every-crash           instead: all single crash points of so many small programs
//   --every-pair            instead: all pairs of crash points of so many tiny programs
//   --bug <name>|all        plants a bug in the engine; succeeds when it is found
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { PLANTED_BUGS } from "./planted-bugs.ts";
import type { Found, SearchResult, Totals } from "./search.ts";
import type { WorkerTask } from "./worker.ts";

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: "20000" },
    seed: { type: "string" },
    store: { type: "string", default: "memory" },
    bug: { type: "string" },
    threads: { type: "string" },
    "every-crash": { type: "boolean", default: false },
    "every-pair": { type: "boolean", default: false },
  },
});
const count = integer("programs", values.programs);
const seed = values.seed === undefined ? Date.now() % 0x7fff_ffff : integer("seed", values.seed);
const store = values.store === "sqlite" ? "sqlite" : "memory";
const mode = values["every-pair"] ? "pairs" : values["every-crash"] ? "crashes" : "random";
const threads =
  values.threads === undefined ? availableParallelism() : integer("threads", values.threads);

process.exitCode = await (values.bug === undefined ? explore() : findBugs(values.bug));

/** Searches the engine as it is; 1 when it breaks a rule. */
async function explore(): Promise<number> {
  console.log(`seed ${seed}, ${count} programs, ${store}, ${threads} threads`);
  const began = performance.now();
  const share = Math.ceil(count / threads);
  const tasks = Array.from({ length: threads }, (_, index): WorkerTask => {
    const options = {
      programs: Math.min(share, count - index * share),
      seed: seed + index * 1_000_003,
      store,
      shrink: true,
    } as const;
    return { mode, bug: undefined, options };
  });
  const results = await Promise.all(
    tasks.filter((task) => task.options.programs > 0).map(inThread),
  );
  const seconds = (performance.now() - began) / 1000;
  const sum = (pick: (totals: Totals) => number): number =>
    results.reduce((total, each) => total + pick(each.totals), 0);
  const programs = sum((totals) => totals.programs);
  const rate = Math.round(programs / seconds / threads);
  console.log(
    `${programs} programs, ${sum((each) => each.runs)} runs, ${sum((each) => each.crashes)} crashes, ${sum((each) => each.failures)} failed accesses, ` +
      `${sum((each) => each.drives)} drives, ${sum((each) => each.boundaries)} boundaries; ${seconds.toFixed(1)} s, ${rate} programs/s and core`,
  );
  console.log(`ends: ${endsOf(results)}`);
  const found = results.flatMap((each) => (each.found === undefined ? [] : [each.found]));
  found.forEach(report);
  console.log(found.length === 0 ? "no rule broken" : `${found.length} failures`);
  return found.length === 0 ? 0 : 1;
}

/** Searches the engine with one bug, or with each of them in turn; 1 when any is not found. */
async function findBugs(name: string): Promise<number> {
  const bugs = name === "all" ? [...PLANTED_BUGS] : PLANTED_BUGS.filter((bug) => bug.name === name);
  if (bugs.length === 0) throw new Error(`there is no planted bug ${name}`);
  let missed = 0;
  const next = async (): Promise<void> => {
    for (let bug = bugs.shift(); bug !== undefined; bug = bugs.shift()) {
      const options = { programs: count, seed, store, shrink: false } as const;
      const { found, totals } = await inThread({ mode: "random", bug: bug.name, options });
      if (found === undefined) missed++;
      console.log(
        found === undefined
          ? `MISSED ${bug.name} in ${totals.programs} programs`
          : `caught ${bug.name} after ${totals.programs} programs: ${found.violations[0]?.slice(0, 160)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: threads }, next));
  console.log(missed === 0 ? "every planted bug was caught" : `${missed} planted bugs were missed`);
  return missed === 0 ? 0 : 1;
}

function inThread(task: WorkerTask): Promise<SearchResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.ts", import.meta.url), { workerData: task });
    worker.once("message", (result: SearchResult) => resolve(result));
    worker.once("error", reject);
  });
}

function report({ seed: from, path, program, faults, violations }: Found): void {
  console.log(`\nBROKEN (seed ${from}, path ${path})`);
  for (const violation of violations) console.log(`  ${violation}`);
  console.log(`  { program: ${JSON.stringify(program)}, faults: ${JSON.stringify(faults)} },`);
}

function endsOf(results: readonly SearchResult[]): string {
  const ends = new Map<string, number>();
  for (const { totals } of results)
    for (const [end, times] of Object.entries(totals.ends))
      ends.set(end, (ends.get(end) ?? 0) + times);
  return [...ends]
    .toSorted((a, b) => b[1] - a[1])
    .map(([end, times]) => `${end} ${times}`)
    .join(", ");
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} must be an integer >= 0, got ${text}`);
  return value;
}
