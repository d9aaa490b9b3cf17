// Flows in this process beside the workflows of Mastra, in one run: CPU of a chain of ten methods, and of a fan-out of a hundred with
// its join. Each adds one to the value that it is handed, as Mastra's steps do, or to a state that all share, which those have not. Mastra is no dependency: install @mastra/core and zod in a folder, and name it: `PEERS=/tmp/peers node bench/flow-peers.ts`.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { chainFlow, fanFlow, toValue } from "./flows.ts";

const REPETITIONS = 9;
const { PEERS } = process.env;

type Variant = {
  readonly name: string;
  readonly runs: number;
  readonly run: () => Promise<unknown>;
};

const [chain, fan] = [chainFlow(10, toValue), fanFlow(100, toValue)];
const [stateChain, stateFan] = [chainFlow(10), fanFlow(100)];
const variants: Variant[] = [
  { name: "chain of 10 methods", runs: 1000, run: () => chain.kickoff() },
  { name: "the same, in a state", runs: 1000, run: () => stateChain.kickoff() },
  ...(PEERS === undefined
    ? []
    : [{ name: "Mastra, chain of 10 steps", runs: 1000, run: await mastra(PEERS, "chain") }]),
  { name: "fan-out of 100 and join", runs: 100, run: () => fan.kickoff() },
  // All of them assign one field, which is reported for each.
  { name: "the same, in a state", runs: 100, run: () => stateFan.kickoff() },
  ...(PEERS === undefined
    ? []
    : [{ name: "Mastra, 100 steps at once", runs: 100, run: await mastra(PEERS, "fan") }]),
];

const least = variants.map(() => Infinity);
for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
  for (const [index, { run, runs }] of variants.entries()) {
    const before = process.cpuUsage();
    for (let each = 0; each < runs; each++) await run();
    const { user, system } = process.cpuUsage(before);
    least[index] = Math.min(least[index] ?? Infinity, (user + system) / 1000 / runs);
  }
}
for (const [index, { name }] of variants.entries())
  console.log(
    `${name.padEnd(28)} ${(least[index] ?? 0).toFixed(3)} ms CPU per run, the least of ${REPETITIONS}`,
  );

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

async function mastra(folder: string, form: "chain" | "fan"): Promise<() => Promise<unknown>> {
  const path = createRequire(`${folder}/`).resolve("@mastra/core/workflows");
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
