// `npm start`: brings the local D1 up to date, runs `wrangler dev`, and says what to try once the Worker
// answers. Options after `--` go to `wrangler dev`: `npm start -- --port 9000`. Of wrangler's own words only errors
// are shown; `npm start -- --log-level log` shows them all.
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

console.log("Starting …");
const migrated = await run(
  ["d1", "migrations", "apply", "DB", "--local", "--persist-to", persistTo],
  { quiet: true },
);
if (migrated !== 0 || stopping) process.exit(migrated);
void announce();
process.exit(
  await run([
    "dev",
    "--local",
    "--show-interactive-dev-session=false",
    ...unless("--persist-to", persistTo),
    ...unless("--log-level", "error"),
    ...args,
  ]),
);

/** An option that the caller has not set. */
function unless(option: string, value: string): readonly string[] {
  return args.some((arg) => arg.startsWith(option)) ? [] : [option, value];
}

/** Runs wrangler to its end and returns its exit code. What a quiet one says is shown when it fails. */
async function run(
  command: readonly string[],
  { quiet = false }: { readonly quiet?: boolean } = {},
): Promise<number> {
  const output = quiet ? "pipe" : "inherit";
  const child = spawn(process.execPath, [wrangler, ...command], {
    cwd: root,
    stdio: ["ignore", output, output],
    env: {
      ...process.env,
      CI: "true", // no questions: a fresh database is simply migrated
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    },
  });
  running = child;
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data: Buffer) => said.push(data));
  const [code] = (await once(child, "exit")) as [number | null];
  running = undefined;
  if (code !== 0 && !stopping) process.stderr.write(Buffer.concat(said));
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

  curl ${origin}/crews/release-notes/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d @examples/samples/release-notes.json

Ask a clerk who knows the rules of a tea shop:

  curl ${origin}/agents/clerk/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d '{"messages":"When do you open?"}'

Answer a support mail, and watch it happen:

  curl -N ${origin}/crews/support-reply/kickoff -H "content-type: application/json" -H "accept: text/event-stream" -d @examples/samples/support-reply.json

Have an incident reviewed, and approve the review as the person on duty:

  curl ${origin}/conversations/incident-review/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d '@examples/samples/incident-review.json'
  curl ${origin}/waits
  curl ${origin}/runs/<id>/messages -H "content-type: application/json" -d '{"name":"duty","content":"Approved"}'

Hear a debate with a judge; take a lesson with a tutor, who remembers it in the next one:

  curl ${origin}/conversations/debate/kickoff -H "content-type: application/json" -H "prefer: wait=10" -d @examples/samples/debate.json
  curl ${origin}/conversations/tutoring/kickoff -H "content-type: application/json" -d '{"id":"lesson-1","message":"I forget how to add fractions."}'

Use it from other programs, over A2A, MCP, AG-UI or as a model of OpenAI's API (docs/protocols.md):

  curl ${origin}/v1/chat/completions -H "content-type: application/json" -d '{"model":"agent/clerk","messages":[{"role":"user","content":"When do you open?"}]}'

Open in a browser:

  ${origin}/flows/announce/plot    a flow, drawn
  ${origin}/conversations/incident-review/picture    a conversation, drawn
  ${origin}/docs                   the API, with examples that work here

README.md goes on from here. Without a model key the built-in offline/demo answers, which is no language model: for a real one put
OPENAI_API_KEY=… or ANTHROPIC_API_KEY=… into a file named .dev.vars. Ctrl-C stops the Worker; at the next start its runs go on.
`);
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${origin}/healthz`)).ok;
  } catch {
    return false;
  }
}
