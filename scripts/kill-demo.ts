// `npm run demo:kill`: kills the process of a run with SIGKILL in the middle of a model call and starts it again.
// Prints the steps
// of both processes, and fails if a finished step ran twice or the run did not end.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";

type Step = {
  readonly key: string;
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt?: string;
};

const cwd = fileURLToPath(new URL("..", import.meta.url));
const sample = new URL("../examples/samples/release-notes.json", import.meta.url);
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-kill-`);
const project = {
  cwd,
  persistTo,
  vars: { MODEL: "offline/demo", DEMO_DELAY_MS: "1500" },
};
const DEADLINE_MS = 60_000;

let dev: WranglerDev | undefined;
try {
  process.exitCode = (await demonstrate()) ? 0 : 1;
} finally {
  await dev?.kill();
  rmSync(persistTo, { recursive: true, force: true });
}

async function demonstrate(): Promise<boolean> {
  console.log("Starting a Worker on a database of its own …");
  migrate(project);
  dev = await WranglerDev.start(project);
  const { inputs } = JSON.parse(readFileSync(sample, "utf8")) as { inputs: object };
  await ask("/crews/release-notes/kickoff", { id: "demo", inputs });
  const before = await until(
    () => steps(),
    (all) => modelCalls(all, "done").length > 0 && modelCalls(all, "started").length > 0,
  );
  await dev.kill();
  const killedAt = new Date().toISOString();
  console.log(
    `Killed process ${dev.pid} with SIGKILL at ${killedAt}, in the middle of a model call.`,
  );
  dev = await WranglerDev.start(project);
  console.log(`Started process ${dev.pid} on the same database. Nobody tells the run to go on.\n`);
  const run = await until(
    () => ask<{ status: string; output?: { raw: string } }>("/runs/demo"),
    ({ status }) => status === "completed" || status === "failed",
  );
  const after = await steps();
  const finished = new Map(
    before.filter(({ state }) => state === "done").map((step) => [step.key, step.endedAt]),
  );
  for (const { key, kind, attempt, startedAt, endedAt = "" } of after) {
    const who =
      endedAt < killedAt ? "before" : startedAt < killedAt ? "begun before, ended after" : "after";
    const again = kind === "model" && attempt > 1 ? `, called ${attempt} times` : "";
    console.log(`  ${key.padEnd(36)} ${who} the kill${again}`);
  }
  const repeated = after.filter(
    ({ key, endedAt }) => finished.has(key) && finished.get(key) !== endedAt,
  );
  console.log(
    `\nThe run is ${run.status}. Finished steps that were done again: ${repeated.length}.\n`,
  );
  console.log(run.output?.raw ?? "");
  return run.status === "completed" && repeated.length === 0;
}

async function steps(): Promise<readonly Step[]> {
  return (await ask<{ items: Step[] }>("/runs/demo/journal?limit=200")).items;
}

function modelCalls(all: readonly Step[], wanted: string): readonly Step[] {
  return all.filter(({ kind, state }) => kind === "model" && state === wanted);
}

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const init =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(`${dev?.url}${path}`, init);
  if (!response.ok)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function until<Value>(
  look: () => Promise<Value>,
  is: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const value = await look();
    if (is(value)) return value;
    if (Date.now() > deadline) throw new Error(`not in time: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
