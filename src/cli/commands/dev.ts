import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { confirm } from "../confirm.ts";
import { demoPace } from "../demo-pace.ts";
import { runDevServer } from "../dev-server.ts";
import { openDevSwitch } from "../dev-switch.ts";
import { watchHeldRuns } from "../held-runs.ts";
import { timedSteps } from "../timed-steps.ts";
import {
  devServerOf,
  forgetDevServer,
  needProject,
  writeDevServer,
  type Project,
} from "../project.ts";

const PORT = 8787;
const STATE = ".wrangler/state";
/** Maximum number of suggested commands. */
const MAX_TRIED = 5;

/** `edgecrew dev`: the project's Worker on this machine, with its database, queues and cron. */
export const dev = command({
  name: "dev",
  about: "serve the project on this machine; options of wrangler dev are passed on",
  passesOptions: true,
  example: "edgecrew dev --port 9000",
  options: {
    port: { about: `port, default ${PORT}`, value: "n", integer: { least: 1, most: 65_535 } },
    persistTo: { about: `folder of the local state, default ${STATE}`, value: "folder" },
    reset: { about: "delete the local state first" },
    cron: { about: "cron every minute", on: true },
  },
  run: async (context, { options, rest }) => {
    const project = needProject(context);
    const { out, processes, global, variables, signal, clock } = context;
    const { port = PORT, persistTo = STATE } = options;
    await checkPort(context, project, port);
    if (options.reset) await resetState(context, join(project.folder, persistTo));
    const served = new AbortController();
    const code = await runDevServer(
      {
        folder: project.folder,
        port,
        persistTo,
        environment: global.env,
        rest: [...demoPace(project.folder, rest), ...rest],
        cron: options.cron,
        verbose: global.verbose,
      },
      {
        processes,
        variables,
        signal,
        clock,
        fetch: context.fetch,
        onStep: timedSteps(clock, (line) => out.note(line)),
        show: (line) => out.note(line),
        openSwitch: openDevSwitch,
        onUp: async (url) => {
          const started = new Date(clock.now()).toISOString();
          writeDevServer(project, { url, pid: processes.id, started });
          await announce(context, project, url);
          void watchHeldRuns(context, { url, signal: served.signal });
        },
      },
    ).finally(() => {
      served.abort();
      if (devServerOf(project)?.pid === processes.id) forgetDevServer(project);
    });
    return code === 0 ? 0 : 1;
  },
});

/** Throws exit code 2 with the owner of the port if it is taken. */
async function checkPort(
  { processes, fetch }: CliContext,
  project: Project,
  port: number,
): Promise<void> {
  if (await processes.isFree(port)) return;
  const own = devServerOf(project);
  const isOwn = own !== undefined && new URL(own.url).port === String(port);
  const isEdgecrew = await fetch(`http://127.0.0.1:${port}/healthz`).then(
    async (response) => response.ok && (await response.text()).includes("ok"),
    () => false,
  );
  const who = isOwn
    ? `edgecrew dev of this project (process ${own.pid}, since ${own.started})`
    : isEdgecrew
      ? "another Worker"
      : "another program";
  throw wrongUse(`port ${port} is taken by ${who}`, `edgecrew dev --port ${port + 1}`);
}

async function resetState(context: CliContext, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await confirm(context, `delete all runs, stored definitions, memory and files in ${folder}`);
  rmSync(folder, { recursive: true });
}

async function announce(context: CliContext, { folder }: Project, url: string): Promise<void> {
  const { out } = context;
  const crews = await itemsAt(context, `${url}/crews?limit=${MAX_TRIED}`);
  const flows = await itemsAt(context, `${url}/flows?limit=${MAX_TRIED}`);
  const page = await consoleAt(context, url);
  const lines = [
    ...(page === undefined
      ? []
      : [
          `Open ${out.style("bold", page)} to start runs, watch them and answer their questions.`,
          "",
        ]),
    `Edgecrew answers on ${out.style("bold", url)}`,
    "",
    ...tryLines(crews, flows),
  ];
  lines.push(`  ${url}/docs    the API, with examples that work here`);
  if (!hasModelKey(folder))
    lines.push(
      "",
      "Without a model key the built-in offline/demo answers, which is no language model:",
      "for a real one put OPENAI_API_KEY=… or ANTHROPIC_API_KEY=… into .dev.vars.",
    );
  lines.push(
    "",
    "Ctrl-C stops it; at the next start its runs go on. npx edgecrew dev kill kills it in mid-run, without loss.",
  );
  out.note(`\n${lines.join("\n")}\n`);
}

/** Returns the address of the console. Undefined for a Worker without one. */
async function consoleAt({ fetch, signal }: CliContext, url: string): Promise<string | undefined> {
  try {
    const address = `${url}/console/`;
    const answer = await fetch(address, { signal, headers: { accept: "text/html" } });
    await answer.body?.cancel();
    return answer.ok ? address : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a command to start each target; flows first, as they use crews. */
function tryLines(crews: readonly JsonObject[], flows: readonly JsonObject[]): readonly string[] {
  const lines = [...flows, ...crews].slice(0, MAX_TRIED).map((thing) => {
    const name = textAt(thing, "name");
    if (thing["conversational"] === true) return `  npx edgecrew chat ${name}`;
    const { inputs } = thing;
    const words = Array.isArray(inputs)
      ? (inputs as readonly unknown[]).map((input) => ` --input ${String(input)}="…"`)
      : [];
    return `  npx edgecrew run ${name}${words.join("")}`;
  });
  return lines.length === 0 ? [] : ["Try, in another terminal:", "", ...lines, ""];
}

function textAt(item: JsonObject, field: string): string {
  const value = item[field];
  return typeof value === "string" ? value : "";
}

async function itemsAt({ fetch, signal }: CliContext, url: string): Promise<readonly JsonObject[]> {
  try {
    const body: unknown = await (await fetch(url, { signal })).json();
    const items = isJsonObject(body) ? body["items"] : undefined;
    return Array.isArray(items) ? (items as readonly unknown[]).filter(isJsonObject) : [];
  } catch {
    return [];
  }
}

function hasModelKey(folder: string): boolean {
  const path = join(folder, ".dev.vars");
  return existsSync(path) && /^\s*\w+_API_KEY\s*=\s*\S/m.test(readFileSync(path, "utf8"));
}
