import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { workerClient } from "../worker-client.ts";
import { apiTypes } from "../api-types.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { withLocalWorker } from "../local-worker.ts";
import { devServerOf } from "../project.ts";

const DEFAULT_OUT = "src/edgecrew.d.ts";

/** `edgecrew types`: writes the inputs and outputs of the Worker's crews, flows and agents as a type. */
export const types = command({
  name: "types",
  about: "write types of inputs and outputs of crews, flows and agents",
  example: "edgecrew types --check",
  options: {
    out: { about: `file, default ${DEFAULT_OUT}`, value: "file" },
    check: { about: "write no file; fail if the file is out of date" },
  },
  run: async (context, { options: { out: named, check } }) => {
    const { out, project, cwd } = context;
    const path =
      named === undefined
        ? join(project?.folder ?? cwd, DEFAULT_OUT)
        : fileOf(resolve(cwd, named), named);
    const text = await typesOf(context);
    const before = existsSync(path)
      ? readFileSync(path, "utf8").replaceAll("\r\n", "\n")
      : undefined;
    const changed = before !== text;
    const shown = relative(cwd, path) || path;
    if (check && changed)
      throw new CliFailure(1, `${shown} is ${before === undefined ? "not there" : "out of date"}`, {
        code: "stale_types",
        fix: named === undefined ? "edgecrew types" : `edgecrew types --out ${named}`,
      });
    if (changed) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
    out.result({ file: shown, changed }, () => `${shown}${changed ? "" : " is up to date"}`);
    return 0;
  },
});

/** Throws exit code 2 for a folder. */
function fileOf(path: string, named: string): string {
  const isFolder = /[\\/]$/.test(named) || (existsSync(path) && statSync(path).isDirectory());
  if (!isFolder) return path;
  throw wrongUse(
    `--out: expected a file, got the folder ${named}`,
    `--out ${join(named, "edgecrew.d.ts")}`,
  );
}

/** Asks the named Worker, else the project's own code: the Worker of the current profile may have other code. */
async function typesOf(context: CliContext): Promise<string> {
  const { global, variables, project, clock, fetch, out } = context;
  const named = [
    global.url,
    global.profile,
    variables["EDGECREW_URL"],
    variables["EDGECREW_PROFILE"],
  ];
  if (project === undefined || named.some((each) => (each ?? "") !== ""))
    return apiTypes(await context.client());
  const dev = devServerOf(project);
  const isUp =
    dev !== undefined &&
    (await fetch(`${dev.url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ));
  if (isUp) return apiTypes(await context.client());
  out.note("Starting the Worker …");
  const answer = await withLocalWorker(context, project.folder, (url) =>
    apiTypes(workerClient({ url, key: undefined, clock, fetch })),
  );
  if (answer.started) return answer.result;
  throw answer.failure;
}
