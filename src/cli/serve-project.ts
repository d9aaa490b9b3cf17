// Serves a project during one command.
//
//   SVP1. It uses a free port and the state of `edgecrew dev`, and is recorded in the same way, so that other commands
//         find it.
//   SVP2. Of wrangler's output, a person sees the reason of a failure; all of it with --verbose.
//   SVP3. It ends with the command; active runs continue when the project is served again.
import { join } from "node:path";
import { CliFailure } from "./cli-failure.ts";
import { runDevServer } from "./dev-server.ts";
import type { GlobalOptions } from "./global-option-values.ts";
import type { Output } from "./output.ts";
import { devServerOf, forgetDevServer, writeDevServer, type Project } from "./project.ts";
import type { CliWorld } from "./world.ts";

const PORTS = { first: 8788, last: 8887 };

export type ServedProject = {
  readonly url: string;
  /** Resolves after its end. */
  readonly stop: () => Promise<void>;
};

type ServeWorld = Pick<CliWorld, "processes" | "variables" | "fetch" | "clock"> & {
  readonly out: Output;
  readonly global: GlobalOptions;
};

/** Resolves when the Worker answers. Throws exit code 1 if the project cannot be served. */
export async function serveProject(
  project: Project,
  { out, global, ...world }: ServeWorld,
): Promise<ServedProject> {
  out.note("No Worker of this project runs: serving it for this command …");
  const ended = new AbortController();
  const { promise: up, resolve } = Promise.withResolvers<string>();
  const serving = runDevServer(
    {
      folder: project.folder,
      port: PORTS,
      persistTo: join(project.folder, ".wrangler", "state"),
      environment: global.env,
      rest: [],
      cron: true,
      forCommand: true,
      verbose: global.verbose,
    },
    {
      ...world,
      signal: ended.signal,
      show: (line) => {
        if (global.verbose) out.note(line);
      },
      onUp: (url) => {
        const started = new Date(world.clock.now()).toISOString();
        writeDevServer(project, { url, pid: world.processes.id, started });
        resolve(url);
      },
    },
  );
  const failed = serving.then((code) => {
    throw new CliFailure(1, `wrangler ended with ${code}`, { fix: "edgecrew dev" });
  });
  failed.catch(() => undefined); // it ends after the command, too
  const url = await Promise.race([up, failed]);
  return {
    url,
    stop: async () => {
      ended.abort();
      await serving.catch(() => undefined);
      if (devServerOf(project)?.pid === world.processes.id) forgetDevServer(project);
    },
  };
}
