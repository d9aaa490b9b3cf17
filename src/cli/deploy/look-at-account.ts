import { CliFailure } from "../cli-failure.ts";
import type { Account } from "../cloud/cloud.ts";
import { deploymentName } from "./deployment-key.ts";
import { deployStep, type DeploySession } from "./deploy-session.ts";
import { findAccount } from "./account-step.ts";
import { resourceSteps, showPlan, unknownPlan, type PlannedStep } from "./plan.ts";
import { planSecrets, type SecretsPlan } from "./secrets-plan.ts";

export type Look = {
  readonly plan: readonly PlannedStep[];
  readonly secrets: SecretsPlan;
  /** True if the Worker was deployed before. */
  readonly hasWorker: boolean;
};

/** Asks the account about every step, and changes no resource. */
export async function lookAtAccount(
  session: DeploySession,
  account: Account["accounts"][number],
): Promise<Look> {
  const { deployment, options, context, environment, cloud, project } = session;
  const plan: PlannedStep[] = [];
  for (const { name, look } of resourceSteps(options.dimensions)) {
    const actions = await deployStep(session, name, () => look(deployment));
    plan.push({ step: name, actions });
  }
  const there = await deployStep(session, "secrets", () => cloud.secrets());
  const secrets = await planSecrets(context, {
    there: there ?? [],
    folder: project.folder,
    file: options.secretsFile,
    deployment: deploymentName(account, environment.worker),
    isPlan: options.plan || options.dryRun,
    makesAdminKey: !options.fromButton,
  });
  plan.push({ step: "secrets", actions: secrets.actions });
  return { plan, secrets, hasWorker: there !== undefined };
}

/** Prints the plan. Without an account, its states are unknown. */
export async function showPlanOnly(session: DeploySession, refuse: () => void): Promise<void> {
  const { context, deployment, cloud, environment, preview } = session;
  const { out, variables } = context;
  const command = cloud.describe(preview === undefined ? ["deploy"] : ["versions", "upload"]);
  const finished: PlannedStep = {
    step: preview === undefined ? "deploy" : "preview",
    actions: [{ about: environment.worker, state: "to do", command }],
  };
  let plan: readonly PlannedStep[];
  try {
    const account = await deployStep(session, "account", () =>
      findAccount(cloud, environment, variables),
    );
    ({ plan } = await lookAtAccount(session, account));
  } catch (error) {
    const isOffline = error instanceof CliFailure && [4, 5].includes(error.exitCode);
    if (!isOffline) throw error;
    out.note(`! the account is not known: ${error.message}`);
    plan = unknownPlan(deployment);
  }
  refuse();
  showPlan([...plan, finished], { out, asResult: true });
}
