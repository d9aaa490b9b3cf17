// Runs `wrangler dev` of a project, from its migrations to its end.
//
//   DVS1. The local D1 is migrated before the Worker starts; a new one is made at once (local-database.ts).
//   DVS2. The cron fires at the start, which registers schedules of the code, and then every minute: wrangler does not
//         fire it by itself.
//   DVS3. The end of the parent process, or the signal, ends wrangler: first by request, after five seconds by a kill.
//   DVS4. The switch kills wrangler and the Worker with SIGKILL, and starts them again on the same state.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep, type Clock } from "../base/clock.ts";
import { CliFailure } from "./cli-failure.ts";
import { DevOutput } from "./dev-output.ts";
import type { DevSwitch } from "./dev-switch.ts";
import type { Processes, RunningProgram } from "./processes.ts";
import { newDatabaseSql, type LocalPlace } from "./local-database.ts";
import { startWrangler } from "./wrangler.ts";

/** Settings of the server. */
export type DevServerOptions = {
  /** The project's folder. */
  readonly folder: string;
  /** Path of its configuration in that folder. @default the one that wrangler finds */
  readonly config?: string | undefined;
  readonly port: number;
  /** Folder of the local state. @default wrangler's own */
  readonly persistTo?: string | undefined;
  readonly environment?: string | undefined;
  /** Options of `wrangler dev`. */
  readonly rest: readonly string[];
  /** True to fire the cron. */
  readonly cron: boolean;
  readonly verbose: boolean;
};

/** Machine and callbacks of a dev server. */
export type DevServerWorld = {
  readonly processes: Processes;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives a line of wrangler's or of the Worker's output. */
  readonly show: (line: string) => void;
  /** Opens the switch with which the Worker can request its own kill. @default no switch */
  readonly openSwitch?: (kill: () => void) => Promise<DevSwitch>;
  /** Called when the Worker answers. */
  readonly onUp: (url: string) => void | Promise<void>;
};

/** Variable with the address of the switch. */
const SWITCH_VARIABLE = "EDGECREW_DEV_SWITCH";
const GRACE_MS = 5_000;
const ASK_EVERY_MS = 200;
const MINUTE_MS = 60_000;
/** Extra delay, as a timer may end early, and schedules would not be due before the minute. */
const AFTER_MINUTE_MS = 100;

/** Time for the Worker to send its response before the kill. */
const ANSWER_MS = 150;

/**
 * Serves until the end. Returns wrangler's exit code, or 0 after a requested end. Throws exit code 1 if a migration
 * fails.
 */
export async function runDevServer(
  options: DevServerOptions,
  world: DevServerWorld,
): Promise<number> {
  const { folder, config, port, persistTo, environment, rest, verbose } = options;
  const { clock, show, signal } = world;
  const ended = new AbortController();
  const isOver = AbortSignal.any([signal, ended.signal]);
  const parent = world.processes.parentId();
  const watch = every(clock, 500, () => {
    if (world.processes.parentId() !== parent) ended.abort();
  });
  const common = [
    "--local",
    ...(config === undefined ? [] : ["--config", config]),
    ...(persistTo === undefined ? [] : ["--persist-to", persistTo]),
    ...(environment === undefined ? [] : ["--env", environment]),
  ];
  let devSwitch: DevSwitch | undefined;
  try {
    await migrate(options, common, { ...world, signal: isOver });
    if (isOver.aborted) return 0;
    const url = `http://localhost:${port}`;
    let isUp = false;
    const said: string[] = [];
    let program: RunningProgram | undefined;
    let isKilled = false;
    devSwitch = await world.openSwitch?.(() => {
      clock.after(ANSWER_MS, () => {
        isKilled = true;
        program?.signal("SIGKILL");
      });
    });
    const args = ["dev", ...common, "--port", String(port), "--show-interactive-dev-session=false"];
    if (devSwitch !== undefined) args.push("--var", `${SWITCH_VARIABLE}:${devSwitch.url}`);
    const start = (): RunningProgram => {
      const output = new DevOutput({ verbose, show });
      return startWrangler(folder, [...args, ...rest], {
        ...world,
        variables: { ...world.variables, EDGECREW_DEV: "1" },
        onText: (text) => {
          if (!isUp) said.push(text);
          output.add(text);
        },
      });
    };
    const work = new AbortController();
    const serving = whileServing(`http://127.0.0.1:${port}`, {
      ...world,
      cron: options.cron,
      signal: AbortSignal.any([work.signal, isOver]),
      onUp: async () => {
        isUp = true;
        await world.onUp(url);
      },
    });
    let code: number;
    do {
      isKilled = false;
      program = start();
      code = await untilEnd(program, { ...world, signal: isOver });
      if (isKilled && !isOver.aborted)
        show("The Worker was killed with SIGKILL. Starting it again …");
    } while (isKilled && !isOver.aborted);
    work.abort();
    await serving;
    if (isOver.aborted) return 0;
    if (!isUp && !verbose) show(said.join("").trim());
    return code;
  } finally {
    devSwitch?.close();
    watch();
  }
}

async function migrate(
  place: LocalPlace,
  common: readonly string[],
  world: DevServerWorld,
): Promise<void> {
  if ((await makeDatabase(place, common, world)) || world.signal.aborted) return;
  const { folder } = place;
  const said: string[] = [];
  const program = startWrangler(folder, ["d1", "migrations", "apply", "DB", ...common], {
    ...world,
    onText: (text) => said.push(text),
  });
  const code = await untilEnd(program, world);
  if (code === 0 || world.signal.aborted) return;
  throw new CliFailure(1, `the local D1 cannot be migrated:\n${said.join("").trim()}`, {
    fix: "wrangler's configuration needs a D1 database with the binding DB and its migrations_dir",
  });
}

/** Returns false if a database exists, or cannot be made this way: `migrations apply` then reports the reason. */
async function makeDatabase(
  place: LocalPlace,
  common: readonly string[],
  world: DevServerWorld,
): Promise<boolean> {
  const sql = newDatabaseSql(place);
  if (sql === undefined) return false;
  const own = mkdtempSync(join(tmpdir(), "edgecrew-migrations-"));
  const file = join(own, "all.sql");
  try {
    writeFileSync(file, sql);
    const args = ["d1", "execute", "DB", ...common, "--file", file];
    const program = startWrangler(place.folder, args, { ...world, onText: () => undefined });
    return (await untilEnd(program, world)) === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Waits for a program. If the signal comes first, asks it to end, and kills it after the grace time. */
async function untilEnd(
  program: RunningProgram,
  { clock, signal }: Pick<DevServerWorld, "clock" | "signal">,
): Promise<number> {
  let stop: (() => void) | undefined;
  const end = (): void => {
    program.signal("SIGTERM");
    stop = clock.after(GRACE_MS, () => program.signal("SIGKILL"));
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  const code = await program.exited;
  stop?.();
  signal.removeEventListener("abort", end);
  return code;
}

/** Polls until the Worker answers, then fires its cron, and again at the start of each minute. */
async function whileServing(
  url: string,
  world: Pick<DevServerWorld, "clock" | "fetch" | "signal"> & {
    readonly cron: boolean;
    readonly onUp: () => Promise<void>;
  },
): Promise<void> {
  const { clock, signal } = world;
  const ask = async (path: string): Promise<boolean> => {
    try {
      return (await world.fetch(`${url}${path}`, { signal })).ok;
    } catch {
      return false;
    }
  };
  for (;;) {
    if (await ask("/healthz")) break;
    await pause(clock, ASK_EVERY_MS, signal);
    if (signal.aborted) return;
  }
  await world.onUp();
  while (world.cron && !signal.aborted) {
    await fireCron(ask);
    await pause(clock, MINUTE_MS - (clock.now() % MINUTE_MS) + AFTER_MINUTE_MS, signal);
  }
}

/** Wrangler has moved the path; our Workers answer neither. */
async function fireCron(ask: (path: string) => Promise<boolean>): Promise<void> {
  const query = "?cron=*+*+*+*+*";
  if (await ask(`/cdn-cgi/local/scheduled${query}`)) return;
  await ask(`/cdn-cgi/handler/scheduled${query}`);
}

/** Ends early with the signal. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, ms, signal).catch(() => undefined);
}

/** Repeats until the returned function is called. */
function every(clock: Clock, ms: number, work: () => void): () => void {
  let stop = clock.after(ms, again);
  function again(): void {
    work();
    stop = clock.after(ms, again);
  }
  return () => stop();
}
