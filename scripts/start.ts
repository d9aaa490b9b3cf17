// `npm start`: serves the project's own app, as `edgecrew dev` serves a project, and prints calls to try once the
// Worker answers.
// Options after `--` go to `wrangler dev`: `npm start -- --port 9000`; `npm start -- --verbose` shows all output of
// wrangler.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { systemClock } from "../src/base/system.ts";
import { CliFailure } from "../src/cli/cli-failure.ts";
import { demoPace } from "../src/cli/demo-pace.ts";
import { runDevServer } from "../src/cli/dev-server.ts";
import { openDevSwitch } from "../src/cli/dev-switch.ts";
import { buildConsolePages } from "./console-pages.ts";
import { timedSteps } from "../src/cli/timed-steps.ts";
import { nodeProcesses } from "../src/cli/node-processes.ts";

const OWN = {
  port: { type: "string", default: "8787" },
  "persist-to": { type: "string", default: ".wrangler/state" },
  verbose: { type: "boolean", default: false },
} as const;
const { values, tokens } = parseArgs({
  strict: false,
  allowPositionals: true,
  tokens: true,
  options: OWN,
});
const own = tokens.filter((token) => token.kind === "option" && Object.hasOwn(OWN, token.name));
const ownWords = new Set(
  own.flatMap(({ index, ...token }) =>
    "inlineValue" in token && token.inlineValue === false ? [index, index + 1] : [index],
  ),
);

const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => ended.abort());

const onStep = timedSteps(systemClock, (line) => console.error(line));
await buildConsolePages(() => onStep("Building the console, whose sources have changed"));
const folder = fileURLToPath(new URL("..", import.meta.url));
const rest = process.argv.slice(2).filter((_, index) => !ownWords.has(index));
process.exitCode = await runDevServer(
  {
    folder,
    port: Number(values.port),
    persistTo: String(values["persist-to"]),
    rest: [...demoPace(folder, rest), ...rest],
    cron: true,
    verbose: values.verbose === true,
  },
  {
    processes: nodeProcesses,
    variables: process.env,
    fetch,
    clock: systemClock,
    signal: ended.signal,
    onStep,
    show: (line) => console.error(line),
    openSwitch: openDevSwitch,
    onUp: (url) => console.log(whatToTry(url)),
  },
).catch(failed);

function failed(error: unknown): number {
  if (!(error instanceof CliFailure)) throw error;
  const { message, fix, exitCode, cause } = error;
  console.error(`✗ ${message}${fix === undefined ? "" : `\n  ${fix}`}`);
  if (values.verbose === true) console.error(cause);
  return exitCode;
}

function whatToTry(origin: string): string {
  return `
Open ${origin}/console/

  The console: start answer-a-letter with one click, watch it, and approve the reply. "Kill the Worker" on the run's page kills
  all of this with SIGKILL in mid-run and starts it again: nothing is lost. In a terminal, npm run demo:kill shows the same.

Or call it; ${origin}/docs has the whole API, with examples that work here:

  curl ${origin}/crews/release-notes/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d @examples/samples/release-notes.json
  curl ${origin}/agents/clerk/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d '{"messages":"When do you open?"}'
  curl ${origin}/conversations/debate/kickoff -H "content-type: application/json" -H "prefer: wait=20" -d @examples/samples/debate.json

README.md goes on from here. Without a model key the built-in offline/demo answers, which is no language model: for a real one put
OPENAI_API_KEY=… or ANTHROPIC_API_KEY=… into a file named .dev.vars. Ctrl-C stops the Worker; at the next start its runs go on.
`;
}
