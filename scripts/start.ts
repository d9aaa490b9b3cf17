// `npm start`: brings the local D1 up to date, runs `wrangler dev`, and says what to try once the Worker
// answers. Options after `--` go to `wrangler dev`: `npm start -- --port 9000`.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const wrangler = fileURLToPath(
  new URL("../node_modules/wrangler/bin/wrangler.js", import.meta.url),
);
const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  strict: false,
  allowPositionals: true,
  options: {
    port: { type: "string", default: "8787" },
    "persist-to": { type: "string", default: ".wrangler/state" },
  },
});
const origin = `http://localhost:${String(values.port)}`;
const persistTo = String(values["persist-to"]);

/** How long wrangler may take to shut down after the first signal, in milliseconds. */
const GRACE_MS = 5_000;

let running: ChildProcess | undefined;
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stop(signal));

// npm passes SIGTERM to its shell, which dies without passing it on: a new parent means that we are alone.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"] !== undefined) {
  setInterval(() => process.ppid !== parent && !stopping && stop("SIGTERM"), 500).unref();
}

const migrated = await run([
  "d1",
  "migrations",
  "apply",
  "DB",
  "--local",
  "--persist-to",
  persistTo,
]);
if (migrated !== 0 || stopping) process.exit(migrated);
void announce();
process.exit(
  await run([
    "dev",
    "--local",
    "--show-interactive-dev-session=false",
    ...(args.some((arg) => arg.startsWith("--persist-to")) ? [] : ["--persist-to", persistTo]),
    ...args,
  ]),
);

/** Runs wrangler to its end and returns its exit code. */
async function run(command: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [wrangler, ...command], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      CI: "true", // no questions: a fresh database is simply migrated
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    },
  });
  running = child;
  const [code] = (await once(child, "exit")) as [number | null];
  running = undefined;
  return code ?? (stopping ? 0 : 1);
}

/** Passes a signal on; a second one, or the end of the grace time, kills. */
function stop(signal: NodeJS.Signals): void {
  if (running === undefined) process.exit(0);
  running.kill(stopping ? "SIGKILL" : signal);
  stopping = true;
  setTimeout(() => running?.kill("SIGKILL"), GRACE_MS).unref();
}

/** Waits until the Worker answers, then prints what to do next. */
async function announce(): Promise<void> {
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 200));
  console.log(`
Edgecrew answers on ${origin}

Turn a git log into release notes, and wait for them:

  curl -X POST ${origin}/crews/release-notes/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d @examples/samples/release-notes.json

Answer a support mail, and watch it happen:

  curl -N -X POST ${origin}/crews/support-reply/kickoff -H "content-type: application/json" -H "accept: text/event-stream" -d @examples/samples/support-reply.json

Have release notes approved by a person, and answer as that person (approve, reject, or what is to be different):

  curl -X POST ${origin}/flows/announce/kickoff -H "content-type: application/json" -d @examples/samples/announce.json
  curl ${origin}/waits
  curl -X POST ${origin}/runs/announce-1/resume -H "content-type: application/json" -d '{"feedback":"approve"}'

All runs: ${origin}/runs     The API: ${origin}/docs

Without a model key the built-in offline/demo answers: it is no language model. For a real one put
OPENAI_API_KEY=… or ANTHROPIC_API_KEY=… into a file named .dev.vars, and MODEL=provider/model if you like.
Ctrl-C stops the Worker; runs go on where they were at the next start.
`);
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${origin}/healthz`)).ok;
  } catch {
    return false;
  }
}
