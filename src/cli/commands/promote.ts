import { command } from "../command.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";
import { promoted } from "../deploy/shares.ts";

/** `edgecrew promote`: increases the share of the newer of two versions. */
export const promote = command({
  name: "promote",
  about: "give the newer of two versions more of the requests, or all",
  example: "edgecrew promote --to 50",
  options: {
    to: { about: "its requests in a hundred", value: "percent", integer: { least: 1, most: 100 } },
  },
  run: async (context, { options: { to = 100 } }) => {
    const { cloud, environment } = openProject(context);
    const { signal, out, global } = context;
    const again = { signal, again: againCommand("promote", global, `--to ${to}`) };
    const [present] = await withAccount("deployments", () => cloud.deployments(), again);
    const shares = promoted(present, to);
    await withAccount("promote", () => cloud.route(shares), again);
    const value = { worker: environment.worker, shares: shares.map((share) => ({ ...share })) };
    out.result(value, () =>
      shares.map(({ version, percentage }) => `${version}  ${percentage} %`).join("\n"),
    );
  },
});
