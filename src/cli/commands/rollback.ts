import { CliFailure, wrongUse } from "../cli-failure.ts";
import { CloudFault, type Version } from "../cloud/cloud.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { deployedWorker, notDeployed, smokeTest } from "../deploy/deployed-worker.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";

/** `edgecrew rollback`: brings a version back that was deployed before. */
export const rollback = command({
  name: "rollback",
  about: "bring the version before back, or another one",
  args: "[version]",
  example: "edgecrew rollback --message 'wrong prompt'",
  options: {
    message: { about: "why", value: "text" },
    smoke: { about: "the test of the deployment", on: true },
  },
  run: async (context, { args: [named], options }) => {
    const { out, signal, global } = context;
    const opened = openProject(context);
    const { cloud, environment } = opened;
    const again = againCommand("rollback", global);
    const step = <Result>(what: string, work: () => Promise<Result>): Promise<Result> =>
      withAccount(what, work, { signal, again });
    const [present, ...earlier] = await step("deployments", () => cloud.deployments());
    const current = present?.shares[0]?.version;
    if (current === undefined) throw notDeployed(environment);
    const versions = await step("versions", () => cloud.versions());
    const before = [...(present?.shares.slice(1) ?? []), ...earlier.flatMap(({ shares }) => shares)]
      .map(({ version }) => version)
      .find((version) => version !== current);
    const target = named === undefined ? before : versionOf(named, versions);
    if (target === undefined)
      throw new CliFailure(2, "there is no version before this one", { fix: "edgecrew status" });
    const between = versions.slice(
      versions.findIndex(({ id }) => id === current),
      versions.findIndex(({ id }) => id === target),
    );
    for (const version of between) out.note(`- ${describe(version)}`);
    const changed = between.filter(({ changesSecrets }) => changesSecrets).length;
    if (changed > 0) {
      await confirm(
        context,
        `go back to ${target}, although secrets were changed ${changed} times since, which are not taken back`,
      );
    }
    out.note("The database is not taken back, and need not be: its migrations only add.");
    await step("rollback", () =>
      cloud.rollback(target, options.message ?? "edgecrew rollback"),
    ).catch(refuseClassMigration);
    const worker = deployedWorker(context, opened);
    if (worker !== undefined && options.smoke)
      await smokeTest(context, { environment, version: target, ...worker });
    const value = { worker: environment.worker, version: target, before: current };
    out.result(value, () => `${environment.worker} runs ${target} again`);
  },
});

function versionOf(named: string, versions: readonly Version[]): string {
  const found = versions.filter(({ id }) => id.startsWith(named));
  const [only] = found;
  if (only !== undefined && (found.length === 1 || only.id === named)) return only.id;
  const ids = (found.length === 0 ? versions : found).map(({ id }) => id).join(", ");
  throw wrongUse(
    `${found.length === 0 ? "there is no version" : "several versions begin with"} ${JSON.stringify(named)}; there are: ${ids}`,
    "edgecrew status",
  );
}

function describe({ id, createdAt, tag, message, changesSecrets }: Version): string {
  const why = changesSecrets ? "changed secrets" : message;
  return [id, createdAt, tag, why].filter((each) => each !== undefined).join("  ");
}

function refuseClassMigration(error: unknown): never {
  const fault = error instanceof Error ? error.cause : undefined;
  if (fault instanceof CloudFault && /migration/i.test(fault.message))
    throw new CliFailure(
      1,
      "classes of objects were made or removed since: the code before cannot run them",
      {
        code: "class_migration",
        fix: "mend the code, and edgecrew deploy",
        cause: error,
      },
    );
  throw error;
}
