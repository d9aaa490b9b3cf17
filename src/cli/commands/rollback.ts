import { CliFailure, wrongUse } from "../cli-failure.ts";
import type { Version } from "../cloud/cloud.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { refuseClassRollback } from "../deploy/class-change.ts";
import { askAbout, deployedWorker, notDeployed, smokeTest } from "../deploy/deployed-worker.ts";
import { refuseStranded, schemaInTag, writtenSince } from "../deploy/object-schema.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";

/** `edgecrew rollback`: restores an earlier version of the deployment. */
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
    const wasDeployed = new Set(
      [present, ...earlier].flatMap((each) => each?.shares.map(({ version }) => version) ?? []),
    );
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
    const worker = deployedWorker(context, opened);
    const about = worker === undefined ? undefined : await askAbout(context, worker);
    const wanted = versions.find(({ id }) => id === target);
    const schema = schemaInTag(wanted?.tag);
    const newer = versions
      .slice(0, wanted === undefined ? 0 : versions.indexOf(wanted))
      .filter(({ id }) => wasDeployed.has(id));
    const writes = writtenSince(newer, about?.storage.objectSchema);
    if (schema === undefined || writes === undefined)
      out.note("! this version may not open runs written since: its storage layout is unknown");
    else
      refuseStranded(schema, {
        writes,
        what: `${target} cannot continue with data written since`,
        fix: "fix the code, and edgecrew deploy: runs that it cannot open would stand still",
      });
    out.note("The database is not taken back, and need not be: its migrations only add.");
    await step("rollback", () =>
      cloud.rollback(target, options.message ?? "edgecrew rollback"),
    ).catch(refuseClassRollback);
    if (worker !== undefined && options.smoke) {
      const expected = { version: target, tag: wanted?.tag };
      await smokeTest(context, { environment, expected, ...worker });
    }
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
