import { version as nodeVersion } from "node:process";
import { command, type CliContext } from "../command.ts";
import { installedVersion } from "../installed-version.ts";

type Versions = Readonly<Record<"edgecrew" | "node", string>> &
  Readonly<Record<"wrangler" | "workerd" | "worker", string | null>>;

/** `edgecrew version`: of this package, what it stands on, and the Worker. */
export const version = command({
  name: "version",
  about: "print versions: of this package, Node, the project's wrangler and workerd, the Worker",
  example: "edgecrew version --json",
  options: {},
  run: async (context) => {
    const folder = context.project?.folder ?? context.cwd;
    const versions: Versions = {
      edgecrew: context.version,
      node: nodeVersion.slice(1),
      wrangler: installedVersion("wrangler", folder),
      workerd: installedVersion("workerd", folder),
      worker: await workers(context),
    };
    context.out.result(versions, () =>
      Object.entries(versions)
        .map(
          ([name, value]) =>
            `${name.padEnd(9)} ${value ?? (name === "worker" ? "none answers" : "not installed")}`,
        )
        .join("\n"),
    );
  },
});

/** Of the API of the Worker that is meant; null where none is, or it does not answer. */
async function workers({ request }: CliContext): Promise<string | null> {
  try {
    const response = await request("/openapi.json");
    const { info } = (await response.json()) as { info?: { version?: string } };
    return info?.version ?? null;
  } catch {
    return null;
  }
}
