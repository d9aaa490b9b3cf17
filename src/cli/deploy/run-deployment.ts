// A deployment, step by step.
//
//   DPL1. Each step asks the account first and does only what is missing, so the same command goes on where it was stopped.
//   DPL2. Nothing is made without a yes, and a plan changes nothing.
//   DPL3. What everything needs is there before the code: database, migrations, queues, indexes.
//   DPL4. The first key is shown or kept before it is sent.
import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { CliContext, ExitCode, OptionValues } from "../command.ts";
import type { Account, Deployed } from "../cloud/cloud.ts";
import { findAccount } from "./account-step.ts";
import { keepPendingKey, pendingKey, savePendingKey, type KeyPlace } from "./admin-key.ts";
import { checkProject, commitOf, packageVersion, refuseErrors } from "./check-project.ts";
import { drainOf, type DEPLOY_OPTIONS } from "./deploy-options.ts";
import { writeDeployState, readDeployState } from "./deploy-state.ts";
import { isTaken, keyOf, profileName, smokeTest } from "./deployed-worker.ts";
import type { Deployment } from "./deployment.ts";
import { againCommand, openProject, withAccount, type OpenProject } from "./open-project.ts";
import { created, resourceSteps, showPlan, unknownPlan, type PlannedStep } from "./plan.ts";
import { removeLeftFiles, withPrivateFile } from "./private-file.ts";
import { planSecrets, type SecretsPlan } from "./secrets-plan.ts";
import { checkRunsUnderWay } from "./runs-under-way.ts";
import { sendGradually } from "./shares.ts";

type Options = OptionValues<typeof DEPLOY_OPTIONS>;

/** All that a deployment knows. */
type Session = OpenProject & {
  readonly context: CliContext;
  readonly options: Options;
  readonly deployment: Deployment;
  readonly again: string;
};

export async function runDeployment(context: CliContext, options: Options): Promise<ExitCode> {
  const drain = drainOf(options.drain);
  const opened = openProject(context, options.suffix);
  try {
    return await deployProject(context, { options, opened, drain });
  } finally {
    opened.close();
  }
}

async function deployProject(
  context: CliContext,
  {
    options,
    opened,
    drain,
  }: {
    readonly options: Options;
    readonly opened: OpenProject;
    readonly drain: string | undefined;
  },
): Promise<ExitCode> {
  const { out, clock, signal, variables, global } = context;
  const { project, environment, cloud } = opened;
  const { folder } = project;
  const place = {
    ...(options.location === undefined ? {} : { location: options.location }),
    ...(options.jurisdiction === undefined ? {} : { jurisdiction: options.jurisdiction }),
  };
  const deployment = { cloud, environment, folder, place, clock, signal };
  const flags = [
    ...(options.suffix === undefined ? [] : [`--suffix ${options.suffix}`]),
    ...options.force.map((code) => `--force ${code}`),
  ];
  const again = againCommand("deploy", global, flags.join(" "));
  const session: Session = { ...opened, context, options, deployment, again };
  const isPlan = options.plan || options.dryRun;
  removeLeftFiles(variables);
  if (options.jurisdiction !== undefined && environment.indexes.length > 0)
    throw wrongUse(
      "Vectorize has no jurisdiction: vectors would leave it",
      "bind VECTORS (objects of the class VectorIndex) in place of the index",
    );

  const { findings, gzipBytes } = await step(session, "check", () =>
    checkProject({ environment, folder, cloud, clock }),
  );
  const refuse = (): void =>
    refuseErrors(findings, { out, force: options.force, configFile: project.configFile });
  const checkRuns = (): Promise<void> =>
    checkRunsUnderWay(context, { project, environment, options, isPlan, again });
  if (isPlan) return planOnly(session, refuse, checkRuns);
  refuse();
  await checkRuns();

  const account = await step(session, "account", () => findAccount(cloud, environment, variables));
  const { plan, secrets, hasWorker } = await look(session, account);
  await agree(session, plan);
  for (const { step: name, actions } of plan)
    for (const { about, run } of actions) {
      if (run === undefined) continue;
      out.note(`  ${about}`);
      // oxlint-disable-next-line no-await-in-loop -- in their order
      await step(session, `${name}: ${about}`, run);
    }

  const key: KeyPlace = { variables, deployment: deploymentName(account, environment.worker) };
  if (secrets.adminKey !== undefined) announceKey(session, key, secrets.adminKey);
  const deployed = await step(session, "deploy", () =>
    send(session, { secrets, drain, hasWorker }),
  );
  const [target] = deployed.targets;
  const url = target ?? readDeployState(folder, environment.stateName).url;
  writeDeployState(folder, environment.stateName, {
    ...(url === undefined ? {} : { url }),
    version: deployed.versionId,
    ...(gzipBytes === undefined ? {} : { gzipBytes }),
  });
  const profile = profileName(context, environment);
  const known = await knownKey(session, { key, secrets, url });
  const isNew = known !== undefined && known === pendingKey(key);
  if (url !== undefined && isNew) savePendingKey(key, { name: profile, url });
  if (url !== undefined && options.smoke && !options.skipSmoke)
    await smoke(session, { url, key: known, version: deployed.versionId });
  say(session, { url, deployed, profile, secrets });
  return 0;
}

/** The key that was sent now or by a stopped deployment, if the Worker takes it; else one that is known here. */
async function knownKey(
  { context, environment }: Session,
  {
    key,
    secrets,
    url,
  }: {
    readonly key: KeyPlace;
    readonly secrets: SecretsPlan;
    readonly url: string | undefined;
  },
): Promise<string | undefined> {
  if (secrets.adminKey !== undefined) return secrets.adminKey;
  const pending = pendingKey(key);
  if (pending !== undefined && url !== undefined && (await isTaken(context, url, pending)))
    return pending;
  return keyOf(context, { profile: profileName(context, environment), url });
}

const deploymentName = (account: Account["accounts"][number], worker: string): string =>
  `${account.id}/${worker}`;

function step<Result>(
  { context, again }: Session,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withAccount(name, work, { signal: context.signal, again });
}

/** Asks the account about every step. */
async function look(
  session: Session,
  account: Account["accounts"][number],
): Promise<{
  readonly plan: readonly PlannedStep[];
  readonly secrets: SecretsPlan;
  readonly hasWorker: boolean;
}> {
  const { deployment, options, context, environment, cloud, project } = session;
  const plan: PlannedStep[] = [];
  for (const { name, look: lookAt } of resourceSteps(options.dimensions)) {
    // oxlint-disable-next-line no-await-in-loop -- in their order
    const actions = await step(session, name, () => lookAt(deployment));
    plan.push({ step: name, actions });
  }
  const there = await step(session, "secrets", () => cloud.secrets());
  const secrets = await planSecrets(context, {
    there: there ?? [],
    folder: project.folder,
    file: options.secretsFile,
    deployment: deploymentName(account, environment.worker),
    isPlan: options.plan || options.dryRun,
  });
  plan.push({ step: "secrets", actions: secrets.actions });
  return { plan, secrets, hasWorker: there !== undefined };
}

async function planOnly(
  session: Session,
  refuse: () => void,
  checkRuns: () => Promise<void>,
): Promise<ExitCode> {
  const { context, deployment, cloud, environment } = session;
  const { out, variables } = context;
  const finished: PlannedStep = {
    step: "deploy",
    actions: [{ about: environment.worker, state: "to do", command: cloud.describe(["deploy"]) }],
  };
  let plan: readonly PlannedStep[];
  try {
    const account = await step(session, "account", () =>
      findAccount(cloud, environment, variables),
    );
    ({ plan } = await look(session, account));
  } catch (error) {
    const isOffline = error instanceof CliFailure && [4, 5].includes(error.exitCode);
    if (!isOffline) throw error;
    out.note(`! the account is not known: ${error.message}`);
    plan = unknownPlan(deployment);
  }
  refuse();
  showPlan([...plan, finished], { out, asResult: true });
  await checkRuns();
  return 0;
}

async function agree(
  { context, options, again }: Session,
  plan: readonly PlannedStep[],
): Promise<void> {
  const { prompt, global, out } = context;
  const missing = created(plan);
  const list = missing.map(({ about }) => about).join(", ");
  if (!options.create && missing.length > 0)
    throw new CliFailure(1, `--no-create, and these are not there: ${list}`, {
      code: "resources_missing",
      fix: again,
    });
  if (global.yes) return;
  if (prompt === undefined) {
    if (missing.length === 0) return;
    throw wrongUse(`this would make ${missing.length} things: ${list}`, `${again} --yes`);
  }
  showPlan(plan, { out, asResult: false });
  if (!(await prompt.confirm({ message: "Deploy this?", initial: true })))
    throw new CliFailure(1, "nothing was deployed", { code: "declined" });
}

/** Before it is sent. */
function announceKey({ context, options }: Session, place: KeyPlace, key: string): void {
  if (options.saveKey) keepPendingKey(place, key);
  else context.out.fault(`The admin key, shown once: ${key}`);
}

async function send(
  session: Session,
  {
    secrets,
    drain,
    hasWorker,
  }: {
    readonly secrets: SecretsPlan;
    readonly drain: string | undefined;
    readonly hasWorker: boolean;
  },
): Promise<Deployed> {
  const { cloud, context, options, project, environment } = session;
  const { message, gradual = 100 } = options;
  const commit = commitOf(project.folder);
  const version = packageVersion(project.folder);
  const tag = options.tag ?? [version, commit].filter((each) => each !== undefined).join("+");
  const labels = { message, ...(tag === "" ? {} : { tag }) };
  const isGradual = gradual < 100;
  const work = (secretsFile?: string): Promise<Deployed> =>
    isGradual
      ? sendGradually(cloud, {
          ...labels,
          secretsFile,
          percentage: gradual,
          environment,
          hasWorker,
        })
      : cloud.deploy({ ...labels, secretsFile, drain });
  if (Object.keys(secrets.values).length === 0) return work();
  return withPrivateFile(context.variables, secrets.values, work);
}

async function smoke(
  session: Session,
  {
    url,
    key,
    version,
  }: {
    readonly url: string;
    readonly key: string | undefined;
    readonly version: string;
  },
): Promise<void> {
  const { context, options, environment, cloud } = session;
  try {
    await smokeTest(context, { environment, version, url, key });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const [, before] = await step(session, "deployments", () => cloud.deployments());
    const last = before?.shares[0]?.version;
    const again = againCommand("rollback", context.global);
    if (last === undefined || !options.rollbackOnFailure) {
      const ways = [error.fix, last === undefined ? undefined : again].filter(
        (way) => way !== undefined,
      );
      throw new CliFailure(1, error.message, {
        code: error.code,
        ...(ways.length === 0 ? {} : { fix: ways.join("; or ") }),
      });
    }
    await step(session, "rollback", () => cloud.rollback(last, error.message.slice(0, 100)));
    throw new CliFailure(1, `${error.message}; the code before (${last}) is back`, {
      code: error.code,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    });
  }
}

function say(
  { context, options, environment }: Session,
  {
    url,
    deployed,
    profile,
    secrets,
  }: {
    readonly url: string | undefined;
    readonly deployed: Deployed;
    readonly profile: string;
    readonly secrets: SecretsPlan;
  },
): void {
  const { out, global } = context;
  const { adminKey, left } = secrets;
  const isKept = adminKey !== undefined && options.saveKey && url !== undefined;
  const again = (name: string): string => againCommand(name, global);
  const value = {
    worker: environment.worker,
    url: url ?? null,
    version: deployed.versionId,
    profile: isKept ? profile : null,
    secrets: Object.keys(secrets.values),
  };
  out.result(value, () =>
    [
      `address   ${url ?? "none: the configuration has no route, and workers.dev is off"}`,
      `version   ${deployed.versionId}`,
      ...(url === undefined ? [] : [`console   ${url}/console/`]),
      adminKey === undefined
        ? "key       is set already"
        : isKept
          ? `key       ${adminKey}  (shown once, kept in profile ${profile})`
          : "key       is shown above, once",
      ...(url === undefined ? [] : [`next      edgecrew run --profile ${profile}`]),
      `undo      ${again("rollback")}`,
    ].join("\n"),
  );
  if (left.length > 0)
    out.note(`not sent of .dev.vars: ${left.join(", ")}; ${again("secrets put")} <name>`);
}
