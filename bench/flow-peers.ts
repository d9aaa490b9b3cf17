// Flows in this process beside the workflows of Mastra, in one run: CPU of a chain of ten methods, and of a fan-out of a hundred with
// its join. Each adds one to the value that it is handed, as Mastra's steps do, or to a state that all share, which those have not.
//
// Each is measured in processes of its own, in turn: in one process, each run's garbage is collected in the next one's time, and V8 drops
// the compiled code of what has not run for some collections. Mastra is no dependency: install @mastra/core and zod in a folder, and name
// it: `PEERS=/tmp/peers node bench/flow-peers.ts`.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import { median } from "./durable-bed.ts";
import { chainFlow, fanFlow, toValue } from "./flows.ts";

const PROCESSES = 5;
/** The first collection of all garbage takes compiled code along, after some twenty of them; the last third counts. */
const REPETITIONS = 45;
const { PEERS } = process.env;

type Variant = {
  readonly runs: number;
  readonly make: () => Promise<() => Promise<unknown>>;
};

const kickoff = (flow: { kickoff(): Promise<unknown> }) => () =>
  Promise.resolve(() => flow.kickoff());
const variants: Readonly<Record<string, Variant>> = {
  "chain of 10 methods": { runs: 500, make: kickoff(chainFlow(10, toValue)) },
  "chain of 10, in a state": { runs: 500, make: kickoff(chainFlow(10)) },
  "Mastra, chain of 10 steps": { runs: 500, make: () => mastra("chain") },
  "fan-out of 100 and join": { runs: 50, make: kickoff(fanFlow(100, toValue)) },
  // All of them assign one field, which is reported for each.
  "fan-out of 100, in a state": { runs: 50, make: kickoff(fanFlow(100)) },
  "Mastra, 100 steps at once": { runs: 50, make: () => mastra("fan") },
};

const [, , wanted] = process.argv;
if (wanted === undefined) await compare();
else console.log(await measured(variants[wanted]));

async function compare(): Promise<void> {
  const names = Object.keys(variants).filter(
    (name) => PEERS !== undefined || !name.startsWith("Mastra"),
  );
  const samples = names.map((): number[] => []);
  for (let each = 0; each < PROCESSES; each++)
    for (const [index, name] of names.entries()) {
      const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), name]);
      samples[index]?.push(Number(output));
    }
  for (const [index, name] of names.entries()) {
    const all = samples[index] ?? [];
    console.log(
      `${name.padEnd(28)} ${Math.min(...all).toFixed(3)} (${median(all).toFixed(3)}) ms CPU per run, least (median) of ${PROCESSES} processes`,
    );
  }
}

/** Milliseconds of CPU per run: the median of the last third of the repetitions. */
async function measured(variant: Variant | undefined): Promise<number> {
  if (variant === undefined) throw new Error(`no such variant: ${wanted}`);
  const run = await variant.make();
  const samples: number[] = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const before = process.cpuUsage();
    for (let each = 0; each < variant.runs; each++) await run();
    const { user, system } = process.cpuUsage(before);
    if (repetition >= (REPETITIONS * 2) / 3) samples.push((user + system) / 1000 / variant.runs);
  }
  return median(samples);
}

type Workflows = {
  readonly createStep: (options: object) => unknown;
  readonly createWorkflow: (options: object) => Workflow;
};
type Workflow = {
  then(step: unknown): Workflow;
  parallel(steps: readonly unknown[]): Workflow;
  commit(): Workflow;
  createRunAsync?(): Promise<WorkflowRun>;
  createRun(): Promise<WorkflowRun> | WorkflowRun;
};
type WorkflowRun = { start(options: object): Promise<{ readonly status: string }> };

async function mastra(form: "chain" | "fan"): Promise<() => Promise<unknown>> {
  const path = createRequire(`${PEERS}/`).resolve("@mastra/core/workflows");
  const { createStep, createWorkflow } = (await import(pathToFileURL(path).href)) as Workflows;
  const state = z.object({ n: z.number() });
  const step = (id: string, inputSchema: z.ZodType = state): unknown =>
    createStep({
      id,
      inputSchema,
      outputSchema: state,
      execute: async ({ inputData }: { inputData: { n?: number } }) => ({
        n: (inputData.n ?? 0) + 1,
      }),
    });
  let workflow = createWorkflow({ id: form, inputSchema: state, outputSchema: state });
  if (form === "chain")
    for (let each = 0; each < 10; each++) workflow = workflow.then(step(`step-${each}`));
  else
    workflow = workflow
      .parallel(Array.from({ length: 100 }, (_, each) => step(`step-${each}`)))
      .then(step("join", z.any()));
  const committed = workflow.commit();
  return async () => {
    const run = await (committed.createRunAsync?.() ?? committed.createRun());
    const { status } = await run.start({ inputData: { n: 0 } });
    if (status !== "success") throw new Error(`the workflow ended as ${status}`);
  };
}
