import { version as nodeVersion } from "node:process";
import { command, type CliContext } from "../command.ts";
import { installedVersion } from "../installed-version.ts";

type Versions = Readonly<Record<"edgecrew" | "node", string>> &
  Readonly<Record<"wrangler" | "workerd" | "worker", string | null>>;

/** `edgecrew version`: prints the versions of this package, its tools, and the Worker. */
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

/** Returns the versions of the Worker's package and code. Null without a Worker, or if it does not report them. */
async function workers({ client }: CliContext): Promise<string | null> {
  try {
    const { version: made, code } = await (await client()).about();
    const deployed = code.tag ?? code.id;
    return deployed === undefined ? made : `${made} (${deployed})`;
  } catch {
    return null;
  }
}
