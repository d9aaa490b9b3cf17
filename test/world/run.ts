// `npm run test:world [-- <part>…] [--slice] [--seed N] [--count N] [--record] [--minutes N] [--at-once N]`
//
//   --slice      the bounded sample of continuous integration, with fixed seeds, two parts at once
//   --seed       another seed for everything random
//   --count      number of programs, in place of each part's own
//   --record     writes the figures into docs/compatibility.md; whole parts only
//   --minutes    parts that have not begun by then are left out (a slice: 6)
//   --resume     a part that was interrupted goes on with the programs that it has not finished
//   --at-once    number of parts beside each other (a slice: 2, else 1)
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMade } from "./needs/cache.ts";
import { countsOf, reportOf, summaryOf, type PartOutcome } from "./outcome.ts";
import { needsOf, type PartResult, type WorldPart } from "./part.ts";
import { findParts } from "./parts.ts";
import { recordFigures } from "./record.ts";
import type { RunPartOptions } from "./run-part.ts";

/** Seed of slices and of runs that name none. */
const SEED = 20_261_129;
const GRACE_MS = 5_000;
const FAILURES_SHOWN = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    slice: { type: "boolean", default: false },
    resume: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    seed: { type: "string" },
    count: { type: "string" },
    minutes: { type: "string" },
    "at-once": { type: "string" },
  },
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const seed = Number(values.seed ?? SEED);
const minutes = Number(values.minutes ?? (values.slice ? 6 : 24 * 60));
const atOnce = Number(values["at-once"] ?? (values.slice ? 2 : 1));
const deadlineMs = Date.now() + minutes * 60_000;
if (values.record && values.slice) throw new Error("--record takes whole parts, not a slice");

const found = await findParts(positionals);
const parts = values.slice ? found.filter((part) => part.sliceSeconds !== undefined) : found;
const outcomes: PartOutcome[] = [];
const running = new Set<ChildProcess>();
for (const name of ["SIGINT", "SIGTERM"] as const)
  process.once(name, () => {
    for (const child of running) endGroup(child, "SIGTERM");
    process.exit(130);
  });

const waiting = [...parts];
await Promise.all(
  Array.from({ length: Math.max(1, atOnce) }, async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const outcome = await outcomeOf(part);
      outcomes.push(outcome);
      show(outcome);
    }
  }),
);
outcomes.sort((one, other) => orderOf(one) - orderOf(other));

mkdirSync(`${root}/reports`, { recursive: true });
writeFileSync(`${root}/reports/world.json`, JSON.stringify(reportOf(outcomes)));
if (values.record) await recordFigures(outcomes, seed);
console.log(summaryOf(outcomes));
const counts = outcomes.map(countsOf);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function orderOf(outcome: PartOutcome): number {
  return parts.findIndex(({ name }) => name === outcome.name);
}

async function outcomeOf(part: WorldPart): Promise<PartOutcome> {
  const { name } = part;
  const missing = needsOf(part, values.slice).filter((need) => !isMade(need));
  if (missing.length > 0)
    return {
      name,
      state: "absent",
      reason: `${missing.map((need) => need.name).join(", ")} is not set up: npm run world:setup -- ${name}`,
    };
  const leftMs = deadlineMs - Date.now();
  if (leftMs < 10_000) return { name, state: "left out", reason: `${minutes} minutes are over` };
  const limitMs = ((values.slice ? part.sliceSeconds : undefined) ?? part.wholeSeconds) * 1000;
  return runPart(part, Math.min(limitMs, leftMs + 30_000));
}

async function runPart({ name }: WorldPart, limitMs: number): Promise<PartOutcome> {
  const folder = `${root}/node_modules/.cache/edgecrew/world/${name}`;
  const options: RunPartOptions = {
    seed,
    slice: values.slice,
    resume: values.resume,
    scratch: `${folder}/scratch`,
    result: `${folder}/result.json`,
    ...(values.count === undefined ? {} : { count: Number(values.count) }),
  };
  mkdirSync(folder, { recursive: true });
  rmSync(options.result, { force: true });
  console.log(`${name}: begins, at most ${Math.round(limitMs / 1000)} s`);
  const startedAtMs = Date.now();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("run-part.ts", import.meta.url)), name, JSON.stringify(options)],
    { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] },
  );
  running.add(child);
  let last = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      const text = data.toString();
      last = `${last}${text}`.slice(-2_000);
      process.stdout.write(text.replaceAll(/^(?=.)/gm, `${name}: `));
    });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child, "SIGTERM");
    setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
  }, limitMs);
  await once(child, "close");
  clearTimeout(timer);
  running.delete(child);
  endGroup(child, "SIGKILL"); // programs that the part left behind
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  try {
    const result = JSON.parse(readFileSync(options.result, "utf8")) as PartResult;
    return { name, state: "ran", seconds, result };
  } catch {
    const reason = isLate
      ? `not over after ${Math.round(limitMs / 1000)} s: ${last}`
      : `ended without a result: ${last}`;
    return { name, state: "broken", seconds, reason };
  }
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // the whole group is gone
  }
}

function show(outcome: PartOutcome): void {
  const { name } = outcome;
  if (outcome.state !== "ran") {
    console.log(`${name}: ${outcome.state.toUpperCase()}: ${outcome.reason}`);
    return;
  }
  const { upstream, tried, passed: equal, differences, failures } = outcome.result;
  const rows = Object.entries(differences).map(([id, programs]) => `${id} ${programs}`);
  console.log(
    `${name}: ${upstream}: ${equal} of ${tried} equal in ${outcome.seconds} s${rows.length > 0 ? `; by row: ${rows.join(", ")}` : ""}`,
  );
  for (const { id, message } of failures.slice(0, FAILURES_SHOWN))
    console.log(`${name}: DIFFERS ${id}: ${message}`);
  if (failures.length > FAILURES_SHOWN)
    console.log(`${name}: and ${failures.length - FAILURES_SHOWN} more`);
  const count = countsOf(outcome);
  console.log(`${name}: ${count.passed} passed, ${count.failed} failed`);
}
