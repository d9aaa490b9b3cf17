// Runs a project's code on this machine with one purpose: it replays the runs that it receives.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CliFailure } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { runDevServer } from "../dev-server.ts";
import type { Environment } from "../environment.ts";
import type { Project } from "../project.ts";

const CONFIG = ".edgecrew-verify.json";
const MODULE = ".edgecrew/verify.mjs";
const PORTS = { first: 8790, last: 8889 };

/** Starts the project's code in a local workerd while `work` runs. Throws exit code 1 if it does not start. */
export async function withLocalCode<Result>(
  context: CliContext,
  place: { readonly project: Project; readonly environment: Environment },
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { folder } = place.project;
  const state = mkdtempSync(join(tmpdir(), "edgecrew-verify-"));
  const ended = new AbortController();
  try {
    writeWorker(place);
    const { promise: isUp, resolve } = Promise.withResolvers<string>();
    const serving = runDevServer(
      {
        folder,
        config: CONFIG,
        port: PORTS,
        persistTo: state,
        rest: ["--inspector-port", "0"],
        cron: false,
        forCommand: true,
        verbose: context.global.verbose,
      },
      {
        ...context,
        signal: AbortSignal.any([context.signal, ended.signal]),
        show: (line) => {
          if (context.global.verbose) context.out.note(line);
        },
        onUp: (_, port) => resolve(`http://127.0.0.1:${port}`),
      },
    );
    try {
      const url = await Promise.race([isUp, serving]).catch(notChecked);
      if (context.signal.aborted) throw new CliFailure(130, "interrupted at: open runs");
      if (typeof url === "number") throw new CliFailure(1, `wrangler ended with ${url}`);
      return await work(url);
    } finally {
      ended.abort();
      await serving.catch(() => undefined);
    }
  } finally {
    rmSync(join(folder, CONFIG), { force: true });
    rmSync(join(folder, MODULE), { force: true });
    rmSync(state, { recursive: true, force: true });
  }
}

function notChecked(error: unknown): never {
  if (!(error instanceof CliFailure)) throw error;
  throw new CliFailure(1, error.message, {
    code: "runs_not_checked",
    fix: "edgecrew dev shows it; --no-check-runs deploys without replaying open runs",
    cause: error.cause,
  });
}

/**
 * Beside the project's configuration, as its paths are relative to it. The bindings are those of `edgecrew dev`, the
 * variables those of the deployment.
 */
function writeWorker({
  project: { folder, config },
  environment,
}: {
  readonly project: Project;
  readonly environment: Environment;
}): void {
  const main = typeof config["main"] === "string" ? config["main"] : "src/worker.ts";
  const { className = "CrewRun" } =
    environment.objects.find(({ binding }) => binding === "CREW_RUN") ?? {};
  const path = JSON.stringify(`../${main.replace(/^\.\//, "")}`);
  mkdirSync(join(folder, ".edgecrew"), { recursive: true });
  writeFileSync(
    join(folder, MODULE),
    [
      `import { verifyApp } from "edgecrew/testing";`,
      `import { ${className} } from ${path};`,
      `export * from ${path};`,
      `export default verifyApp(${className});`,
      "",
    ].join("\n"),
  );
  const { env: _, ...local } = config;
  const vars = isJsonObject(local["vars"]) ? local["vars"] : {};
  const verifying: JsonObject = {
    ...local,
    main: MODULE,
    vars: { ...vars, ...environment.vars },
  };
  writeFileSync(join(folder, CONFIG), JSON.stringify(verifying));
}
