// Plans a deployment.
import type { Output } from "../output.ts";
import { databaseStep, migrationsStep } from "./database-steps.ts";
import type { Action, Deployment, DeployStep } from "./deployment.ts";
import { bucketsStep, queuesStep, vectorsStep } from "./resource-steps.ts";

/** A step with its findings. */
export type PlannedStep = { readonly step: string; readonly actions: readonly Action[] };

/** Order of the steps: a database before its migrations, all of it before the code. */
export function resourceSteps(dimensions: number | undefined): readonly DeployStep[] {
  return [databaseStep, migrationsStep, queuesStep, vectorsStep(dimensions), bucketsStep];
}

function notKnown(name: string, abouts: readonly string[]): PlannedStep {
  return { step: name, actions: abouts.map((about) => ({ about, state: "not known" })) };
}

/** Returns the resources of the steps if the account cannot be asked. */
export function unknownPlan({ environment }: Deployment): readonly PlannedStep[] {
  const { databases, queues, indexes, buckets } = environment;
  return [
    notKnown(
      "database",
      databases.map(({ name }) => `D1 database ${name}`),
    ),
    notKnown(
      "migrations",
      databases.map(({ name }) => `migrations of ${name}`),
    ),
    notKnown(
      "queues",
      queues.map((name) => `queue ${name}`),
    ),
    notKnown(
      "vectors",
      indexes.map(({ name }) => `Vectorize index ${name}`),
    ),
    notKnown(
      "buckets",
      buckets.map(({ name }) => `R2 bucket ${name}`),
    ),
    notKnown("secrets", ["secrets"]),
  ];
}

const SIGNS = { there: "=", "to create": "+", "to change": "~", "to do": ">", "not known": "?" };

export function showPlan(
  plan: readonly PlannedStep[],
  { out, asResult }: { readonly out: Output; readonly asResult: boolean },
): void {
  const text = plan
    .filter(({ actions }) => actions.length > 0)
    .flatMap(({ step, actions }) => [
      out.style("bold", step),
      ...actions.flatMap(({ about, state, command }) => [
        `  ${SIGNS[state]} ${about}  ${out.style("dim", state)}`,
        ...(command === undefined ? [] : [`      ${command}`]),
      ]),
    ])
    .join("\n");
  if (!asResult) return out.note(text);
  const value = plan.map(({ step, actions }) => ({
    step,
    actions: actions.map(({ about, state, command = null }) => ({ about, state, command })),
  }));
  out.result(value, () => text);
}

/** Returns new resources that a deployment cannot remove again. */
export function created(plan: readonly PlannedStep[]): readonly Action[] {
  return plan.flatMap(({ actions }) => actions).filter(({ state }) => state === "to create");
}
