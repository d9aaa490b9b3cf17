// Serves a project during one command.
//
//   SVP1. It uses a free port and the state of `edgecrew dev`, and is recorded in the same way, so that other commands
//         find it.
//   SVP2. It ends with the command; active runs continue when the project is served again.
import { join } from "node:path";
import { CliFailure } from "./cli-failure.ts";
import { runDevServer } from "./dev-server.ts";
import type { GlobalOptions } from "./global-option-values.ts";
import type { Output } from "./output.ts";
import { devServerOf, forgetDevServer, writeDevServer, type Project } from "./project.ts";
import type { Processes } from "./processes.ts";
import type { CliWorld } from "./world.ts";

const FIRST_PORT = 8788;
const LAST_PORT = 8887;

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
  const port = await freePort(world.processes);
  out.note(`No Worker of this project runs: serving it on port ${port} for this command …`);
  const ended = new AbortController();
  const said: string[] = [];
  let isUp = false;
  const { promise: up, resolve } = Promise.withResolvers<string>();
  const serving = runDevServer(
    {
      folder: project.folder,
      port,
      persistTo: join(project.folder, ".wrangler", "state"),
      environment: global.env,
      rest: [],
      cron: true,
      verbose: global.verbose,
    },
    {
      ...world,
      signal: ended.signal,
      show: (line) => {
        if (global.verbose) out.note(line);
        else if (!isUp) said.push(line);
      },
      onUp: (url) => {
        isUp = true;
        const started = new Date(world.clock.now()).toISOString();
        writeDevServer(project, { url, pid: world.processes.id, started });
        resolve(url);
      },
    },
  );
  const failed = serving.then((code) => {
    const why = said.join("\n").trim() || `wrangler ended with ${code}`;
    throw new CliFailure(1, `the project cannot be served:\n${why}`, { fix: "edgecrew dev" });
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

/** Throws exit code 1 if all are taken. */
async function freePort(processes: Processes): Promise<number> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port++)
    if (await processes.isFree(port)) return port;
  throw new CliFailure(1, `the ports ${FIRST_PORT} to ${LAST_PORT} are all taken`, {
    fix: "edgecrew dev --port <n>",
  });
}
