// Runs a deployment, step by step.
//
//   DPL1. Each step asks the account first and makes only missing resources, so the same command continues after an
//         interruption.
//   DPL2. Resources are made only with consent, and a plan changes no resource.
//   DPL3. Requirements of the code come before it: database, migrations, queues, indexes.
//   DPL4. The first key is shown or stored before it is sent.
import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { findProject } from "../project.ts";
import { findAccount } from "./account-step.ts";
import { offerAdditions } from "./add-to-config.ts";
import { pendingKey, savePendingKey, type KeyPlace } from "./admin-key.ts";
import { agree } from "./agree.ts";
import { queuesOrWithout } from "./button.ts";
import { checkProject, refuseErrors } from "./check-project.ts";
import { readDeployState, writeDeployState } from "./deploy-state.ts";
import {
  deploySession,
  deployStep,
  type DeployOptionValues,
  type DeploySession,
} from "./deploy-session.ts";
import { deployedWorker, profileName } from "./deployed-worker.ts";
import { announceKey, deploymentName, knownKey } from "./deployment-key.ts";
import { checkDomains } from "./domains.ts";
import { lookAtAccount, showPlanOnly } from "./look-at-account.ts";
import { openProject } from "./open-project.ts";
import type { PlannedStep } from "./plan.ts";
import { refuseSharedPreview } from "./preview.ts";
import { removeLeftFiles } from "./private-file.ts";
import { checkRunsUnderWay } from "./runs-under-way.ts";
import { sayDeployed, sayPreview } from "./say-deployed.ts";
import { sendCode, type SentCode } from "./send-code.ts";
import { smokeDeployment } from "./smoke-deployment.ts";
import { refuseStrandedRuns } from "./stranded-runs.ts";

export async function runDeployment(
  context: CliContext,
  options: DeployOptionValues,
): Promise<void> {
  const opened = openProject(context, options.suffix);
  let session: DeploySession | undefined;
  let isChanged: boolean;
  try {
    const { fromButton } = options;
    session = deploySession(context, {
      options: fromButton ? { ...options, saveKey: false } : options,
      opened,
    });
    isChanged = await deployProject(session, (next) => (session = next));
  } finally {
    (session ?? opened).close();
  }
  if (!isChanged) return;
  const project = findProject(opened.project.folder);
  await runDeployment({ ...context, project }, options);
}

/** True if the configuration was changed first: then the deployment starts over. */
async function deployProject(
  opened: DeploySession,
  onSession: (session: DeploySession) => void,
): Promise<boolean> {
  const { context, options, project, preview } = opened;
  const { out, clock, variables } = context;
  const { folder, configFile, config } = project;
  removeLeftFiles(variables);
  if (options.jurisdiction !== undefined && opened.environment.indexes.length > 0)
    throw wrongUse(
      "Vectorize has no jurisdiction: vectors would leave it",
      "bind VECTORS (objects of the class VectorIndex) in place of the index",
    );
  if (preview !== undefined) refuseSharedPreview(project, opened.environment);

  const { findings, gzipBytes } = await deployStep(opened, "check", () => {
    const { environment, cloud } = opened;
    return checkProject({ environment, config, folder, cloud, clock });
  });
  const refuse = (): void => refuseErrors(findings, { out, force: options.force, configFile });
  const isPlan = options.plan || options.dryRun;
  const checkRuns = async (): Promise<void> => {
    if (preview === undefined) await checkRunsUnderWay(context, { ...opened, isPlan });
  };
  if (isPlan) {
    await showPlanOnly(opened, refuse);
    await checkRuns();
    return false;
  }
  if (await offerAdditions(context, { findings, configFile })) return true;
  refuse();
  await checkRuns();

  const account = await deployStep(opened, "account", () =>
    findAccount(opened.cloud, opened.environment, variables),
  );
  refuseErrors(await deployStep(opened, "domains", () => checkDomains(opened, account)), {
    out,
    force: options.force,
    configFile,
  });
  const session = options.fromButton
    ? await deployStep(opened, "queues", () => queuesOrWithout(opened))
    : opened;
  onSession(session);
  const { environment } = session;
  const { plan, secrets, hasWorker } = await lookAtAccount(session, account);
  await agree(session, plan);
  if (hasWorker) await refuseStrandedRuns(session);
  await makeMissing(session, plan);

  const key: KeyPlace = { variables, deployment: deploymentName(account, environment.worker) };
  if (secrets.adminKey !== undefined) announceKey(session, key, secrets.adminKey);
  const step = preview === undefined ? "deploy" : "preview";
  const sent = await deployStep(session, step, () => sendCode(session, { secrets, hasWorker }));
  if (preview !== undefined) {
    await endPreview(session, sent);
    return false;
  }
  // A version with a share of the requests has no address of its own.
  const named = variables["EDGECREW_URL"]?.replace(/\/+$/, "");
  const url =
    sent.url ?? deployedWorker(context, session)?.url ?? (named === "" ? undefined : named);
  writeDeployState(folder, environment.stateName, {
    ...readDeployState(folder, environment.stateName),
    ...(url === undefined ? {} : { url }),
    version: sent.versionId,
    ...(gzipBytes === undefined ? {} : { gzipBytes }),
  });
  const profile = profileName(context, environment);
  const known = await knownKey(session, { key, secrets, url });
  const isNew = known !== undefined && known === pendingKey(key);
  if (url !== undefined && isNew) savePendingKey(key, { name: profile, url });
  if (url !== undefined && options.smoke && !options.skipSmoke)
    await smokeDeployment(session, { url, key: known, sent });
  sayDeployed(session, { url, sent, profile, secrets });
  return false;
}

/** Makes the missing resources of the plan, in its order. */
async function makeMissing(session: DeploySession, plan: readonly PlannedStep[]): Promise<void> {
  const { out } = session.context;
  for (const { step: name, actions } of plan)
    for (const { about, run } of actions) {
      if (run === undefined) continue;
      out.note(`  ${about}`);
      await deployStep(session, `${name}: ${about}`, run);
    }
}

/** Tests a preview with an address, with the key of its environment. */
async function endPreview(session: DeploySession, sent: SentCode): Promise<void> {
  const { context, options } = session;
  const { url } = sent;
  if (url !== undefined && options.smoke && !options.skipSmoke) {
    const { key } = deployedWorker(context, session) ?? {};
    await smokeDeployment(session, { url, key, sent });
  }
  sayPreview(session, sent);
}
