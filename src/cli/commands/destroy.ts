import { CliFailure, wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { CloudFault } from "../cloud/cloud.ts";
import {
  againCommand,
  openProject,
  withAccount,
  type OpenProject,
} from "../deploy/open-project.ts";

/** `edgecrew destroy`: removes a deployment. Its data stays unless an option includes it. */
export const destroy = command({
  name: "destroy",
  about: "remove a deployment: Worker, queues, index, and with an option its data",
  example: "edgecrew destroy --env staging --confirm demo-staging",
  options: {
    confirm: { about: "the Worker's name, in place of typing it", value: "name" },
    suffix: { about: "the deployment of this suffix", value: "text" },
    keepData: { about: "keeping the database and the bucket", on: true },
  },
  run: async (context, { options }) => {
    const opened = openProject(context, options.suffix);
    try {
      await destroyDeployment(context, { opened, ...options });
    } finally {
      opened.close();
    }
  },
});

async function destroyDeployment(
  context: CliContext,
  options: {
    readonly opened: OpenProject;
    readonly confirm: string | undefined;
    readonly keepData: boolean;
  },
): Promise<void> {
  const { opened } = options;
  const { prompt, out, signal, global } = context;
  const { cloud, environment } = opened;
  const { worker, databases, queues, indexes, buckets } = environment;
  const again = againCommand("destroy", global, `--confirm ${worker}`);
  const step = <Result>(what: string, work: () => Promise<Result>): Promise<Result> =>
    withAccount(what, work, { signal, again });
  const things = [
    `Worker ${worker}, with the objects that its runs live in`,
    ...queues.map((name) => `queue ${name}`),
    ...indexes.map(({ name }) => `Vectorize index ${name}`),
    ...(options.keepData
      ? []
      : [
          ...databases.map(({ name }) => `D1 database ${name}, with all that is in it`),
          ...buckets.map(({ name }) => `R2 bucket ${name}`),
        ]),
  ];
  out.note(`This removes:\n${things.map((each) => `  - ${each}`).join("\n")}`);
  if (options.confirm === undefined && prompt === undefined)
    throw wrongUse("--yes is not enough to remove a deployment", again);
  const typed = options.confirm ?? (await prompt?.text({ message: `Type ${worker} to remove it` }));
  if (typed !== worker)
    throw new CliFailure(
      2,
      `expected the name ${worker}, got ${JSON.stringify(typed)}; no resource was removed`,
    );

  const removed: string[] = [];
  const remove = async (what: string, work: () => Promise<void>): Promise<void> => {
    await step(what, () => work().catch(unlessGone));
    removed.push(what);
    out.note(`removed ${what}`);
  };
  await remove(worker, () => cloud.remove());
  for (const name of queues) await remove(`queue ${name}`, () => cloud.removeQueue(name));
  for (const { name } of indexes) await remove(`index ${name}`, () => cloud.removeIndex(name));
  if (!options.keepData) {
    for (const { name } of databases)
      await remove(`database ${name}`, () => cloud.removeDatabase(name));
    for (const { name } of buckets) await remove(`bucket ${name}`, () => cloud.removeBucket(name));
  }
  const kept = options.keepData ? [...databases, ...buckets].map(({ name }) => name) : [];
  out.result({ removed, kept }, () =>
    [
      `removed  ${removed.join(", ")}`,
      ...(kept.length === 0 ? [] : [`kept     ${kept.join(", ")}`]),
    ].join("\n"),
  );
}

/** Ignores resources removed by an earlier call. */
function unlessGone(error: unknown): void {
  if (!(error instanceof CloudFault) || error.kind !== "missing") throw error;
}
