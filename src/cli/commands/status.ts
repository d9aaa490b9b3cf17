import { workerClient } from "../worker-client.ts";
import { command } from "../command.ts";
import { askAbout, deployedWorker, notDeployed } from "../deploy/deployed-worker.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";
import { age } from "../times.ts";

const MAX_HELD = 100;

/** `edgecrew status`: prints the deployed code and held runs. */
export const status = command({
  name: "status",
  about: "show deployed versions, held runs and missing setup",
  example: "edgecrew status --env production",
  options: {},
  run: async (context) => {
    const opened = openProject(context);
    const { cloud, environment } = opened;
    const { signal, out, global, clock, fetch } = context;
    const again = { signal, again: againCommand("status", global) };
    const [present] = await withAccount("deployments", () => cloud.deployments(), again);
    if (present === undefined) throw notDeployed(environment);
    const versions = await withAccount("versions", () => cloud.versions(), again);
    const shares = present.shares.map(({ version, percentage }) => {
      const { tag = null, message = null } = versions.find(({ id }) => id === version) ?? {};
      return { version, percentage, tag, message };
    });
    const worker = deployedWorker(context, opened);
    const held = worker === undefined ? undefined : await heldRuns(worker);
    const about = worker?.key === undefined ? undefined : await askAbout(context, worker);
    const lastAt = about?.sweeper.lastAt;
    const missing = about?.missing ?? [];
    const value = {
      worker: environment.worker,
      url: worker?.url ?? null,
      deployedAt: present.createdAt,
      shares,
      heldRuns: held ?? null,
      edgecrew: about?.version ?? null,
      cronAt: lastAt ?? null,
      missing: missing.map((lack) => ({ ...lack })),
    };
    out.result(value, () =>
      [
        `worker    ${environment.worker}, deployed ${age(present.createdAt, clock.now())} ago`,
        `address   ${worker?.url ?? "not known here"}`,
        ...shares.map(({ version, percentage, tag, message }) =>
          [`version   ${version}`, `${percentage} %`, tag, message]
            .filter((each) => each !== null)
            .join("  "),
        ),
        `held      ${held === undefined ? "not known" : held === MAX_HELD ? `${held} runs or more` : `${held} runs`}`,
        ...(about === undefined
          ? []
          : [
              `edgecrew  ${about.version}`,
              `cron      ${lastAt === undefined ? "never came" : `came ${age(lastAt, clock.now())} ago`}`,
            ]),
        ...missing.map(({ code, message, fix }) => `missing   ${message} (${code}): ${fix}`),
      ].join("\n"),
    );

    async function heldRuns({ url, key }: { url: string; key: string | undefined }) {
      if (key === undefined) return undefined;
      const client = workerClient({ url, key, clock, fetch });
      try {
        return (await client.runs.list({ held: true, limit: MAX_HELD })).items.length;
      } catch (error) {
        out.note(`! ${(error as Error).message}`);
        return undefined;
      }
    }
  },
});
