// Runs `wrangler dev` of a project, from its migrations to its end.
//
//   DVS1. The local D1 is migrated before the Worker starts (migrate-local.ts); a new one is made at once
//         (local-database.ts).
//   DVS2. The cron fires at the start, which registers schedules of the code, and then every minute: wrangler does not
//         fire it by itself.
//   DVS3. The end of the parent process, or the signal, ends wrangler: first by request, after five seconds by a kill.
//   DVS4. The switch kills wrangler and the Worker with SIGKILL, and starts them again on the same state.
//   DVS5. A port of a range that wrangler refuses is followed by the next one.
//   DVS6. For a command, a fault of the code before the first answer is a failure. Otherwise wrangler waits for its
//         correction.
import { sleep, type Clock } from "../base/clock.ts";
import { DevOutput } from "./dev-output.ts";
import type { DevSwitch } from "./dev-switch.ts";
import type { Processes, RunningProgram } from "./processes.ts";
import { freePorts, type PortChoice } from "./free-ports.ts";
import { migrateLocal } from "./migrate-local.ts";
import { ProgramOutput } from "./program-output.ts";
import { untilEnd } from "./until-end.ts";
import { startWrangler } from "./wrangler.ts";

/** Settings of the server. */
export type DevServerOptions = {
  /** The project's folder. */
  readonly folder: string;
  /** Path of its configuration in that folder. @default the one that wrangler finds */
  readonly config?: string | undefined;
  readonly port: PortChoice;
  /** Folder of the local state. @default wrangler's own */
  readonly persistTo?: string | undefined;
  readonly environment?: string | undefined;
  /** Options of `wrangler dev`. */
  readonly rest: readonly string[];
  /** True to fire the cron. */
  readonly cron: boolean;
  /** True to fail at a fault of the code, and after three minutes without an answer. @default false */
  readonly forCommand?: boolean;
  readonly verbose: boolean;
};

/** Machine and callbacks of a dev server. */
export type DevServerWorld = {
  readonly processes: Processes;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives each step of the start before it begins. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** Receives a line of wrangler's or of the Worker's output. */
  readonly show: (line: string) => void;
  /** Opens the switch with which the Worker can request its own kill. @default no switch */
  readonly openSwitch?: (kill: () => void) => Promise<DevSwitch>;
  /** Called when the Worker answers. */
  readonly onUp: (url: string, port: number) => void | Promise<void>;
};

/** Variable with the address of the switch. */
const SWITCH_VARIABLE = "EDGECREW_DEV_SWITCH";
/** Result of a taken port. */
const PORT_TAKEN = -1;
const TAKEN = /address already in use|EADDRINUSE/i;
/** Time to answer, for a command. */
const START_MS = 180_000;
const FAULT = /\[ERROR\]|Uncaught/;
/** Time for wrangler's remaining output after a fault. */
const AFTER_FAULT_MS = 1_500;
const ASK_EVERY_MS = 200;
const MINUTE_MS = 60_000;
/** Extra delay, as a timer may end early, and schedules would not be due before the minute. */
const AFTER_MINUTE_MS = 100;

/** Time for the Worker to send its response before the kill. */
const ANSWER_MS = 150;

/**
 * Serves until the end. Returns wrangler's exit code, or 0 after a requested end. Throws exit code 1 with wrangler's
 * reason if a migration fails or the Worker does not start, 2 if a chosen port is taken.
 */
export async function runDevServer(
  options: DevServerOptions,
  world: DevServerWorld,
): Promise<number> {
  const { clock, processes } = world;
  const ended = new AbortController();
  const signal = AbortSignal.any([world.signal, ended.signal]);
  const parent = processes.parentId();
  const watch = every(clock, 500, () => {
    if (processes.parentId() !== parent) ended.abort();
  });
  const common = placeArguments(options);
  const kills = new Kills(clock);
  let devSwitch: DevSwitch | undefined;
  try {
    await migrateLocal(options, common, { ...world, signal });
    if (signal.aborted) return 0;
    devSwitch = await world.openSwitch?.(() => kills.request());
    const args = [...common, "--show-interactive-dev-session=false"];
    if (devSwitch !== undefined) args.push("--var", `${SWITCH_VARIABLE}:${devSwitch.url}`);
    args.push(...options.rest);
    for await (const port of freePorts(options.port, processes)) {
      const code = await servePort(["dev", "--port", String(port), ...args], {
        ...world,
        ...options,
        signal,
        port,
        kills,
      });
      if (code !== PORT_TAKEN) return code;
    }
    return 1;
  } finally {
    devSwitch?.close();
    watch();
  }
}

function placeArguments({
  config,
  persistTo,
  environment,
}: Pick<DevServerOptions, "config" | "persistTo" | "environment">): readonly string[] {
  return [
    "--local",
    ...(config === undefined ? [] : ["--config", config]),
    ...(persistTo === undefined ? [] : ["--persist-to", persistTo]),
    ...(environment === undefined ? [] : ["--env", environment]),
  ];
}

/** Kills requested by the Worker for itself. */
class Kills {
  readonly #clock: Clock;
  #program: RunningProgram | undefined;
  #isKilled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  request(): void {
    this.#clock.after(ANSWER_MS, () => {
      this.#isKilled = true;
      this.#program?.signal("SIGKILL");
    });
  }

  /** Names the program to kill from now on. */
  aim(program: RunningProgram): void {
    this.#program = program;
    this.#isKilled = false;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }
}

type PortOptions = DevServerWorld &
  DevServerOptions & { readonly port: number; readonly kills: Kills };

/** Serves on one port, also after kills. Wrangler reports a taken port only when its runtime starts. */
async function servePort(args: readonly string[], options: PortOptions): Promise<number> {
  const { port, kills, show, signal, onStep } = options;
  const output = new ProgramOutput();
  const work = new AbortController();
  const giving = new GivingUp(options);
  let isUp = false;
  onStep?.("Starting wrangler");
  const serving = whileServing(`http://127.0.0.1:${port}`, {
    ...options,
    signal: AbortSignal.any([work.signal, signal]),
    onWait: () => giving.look(),
    onUp: async () => {
      isUp = true;
      giving.end();
      await options.onUp(`http://localhost:${port}`, port);
    },
  });
  let code: number;
  do {
    const shown = new DevOutput(options);
    const program = startWrangler(options.folder, args, {
      ...options,
      variables: { ...options.variables, EDGECREW_DEV: "1" },
      onText: (text) => {
        if (!isUp) output.add(text);
        if (!isUp) giving.see(text);
        shown.add(text);
      },
    });
    kills.aim(program);
    code = await untilEnd(program, { ...options, signal: giving.signal });
    if (kills.isKilled && !signal.aborted)
      show("The Worker was killed with SIGKILL. Starting it again …");
  } while (kills.isKilled && !signal.aborted);
  giving.end();
  work.abort();
  await serving;
  if (signal.aborted) return 0;
  if (isUp) return code;
  if (TAKEN.test(output.whole)) return PORT_TAKEN;
  throw output.failure("the Worker does not start on this machine", {
    fix: "--verbose shows all output of wrangler",
  });
}

/** Ends a start without prospect, for a command. */
class GivingUp {
  readonly signal: AbortSignal;
  readonly #giving = new AbortController();
  readonly #begunAtMs: number;
  #stop: (() => void) | undefined;
  readonly #clock: Clock;
  readonly #isPatient: boolean;

  constructor({ clock, signal, forCommand }: DevServerWorld & DevServerOptions) {
    this.signal = AbortSignal.any([signal, this.#giving.signal]);
    this.#clock = clock;
    this.#isPatient = forCommand !== true;
    this.#begunAtMs = clock.now();
  }

  see(text: string): void {
    if (this.#isPatient || this.#stop !== undefined || !FAULT.test(text)) return;
    this.#stop = this.#clock.after(AFTER_FAULT_MS, () => this.#giving.abort());
  }

  look(): void {
    if (!this.#isPatient && this.#clock.now() - this.#begunAtMs > START_MS) this.#giving.abort();
  }

  end(): void {
    this.#stop?.();
  }
}

/** Polls until the Worker answers, then fires its cron, and again at the start of each minute. */
async function whileServing(
  url: string,
  world: Pick<DevServerWorld, "clock" | "fetch" | "signal"> & {
    readonly cron: boolean;
    readonly onWait: () => void;
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
    world.onWait();
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
