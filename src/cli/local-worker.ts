// Runs the project's Worker on this machine for one question.
//
//   LWK1. It has a temporary state of its own: data of the project is neither read nor changed.
//   LWK2. A Worker that does not start is a result, with its output, and not a wait.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliFailure } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import { runDevServer } from "./dev-server.ts";

/** Result of the work, or the reason why the Worker did not start. */
export type LocalAnswer<Result> =
  | { readonly started: true; readonly result: Result }
  | { readonly started: false; readonly said: string };

const FIRST_PORT = 8_900;
const PORTS = 100;
const START_MS = 180_000;
/** Time for wrangler's remaining output after a fault; then it waits for a change of the code. */
const AFTER_FAULT_MS = 1_500;
const FAULT = /\[ERROR\]|Uncaught/;

/** Serves the project without keys, runs the work, and ends. Throws exit code 2 without wrangler, 130 for Ctrl-C. */
export async function withLocalWorker<Result>(
  context: CliContext,
  folder: string,
  work: (url: string) => Promise<Result>,
): Promise<LocalAnswer<Result>> {
  const { processes, variables, clock, fetch, signal } = context;
  const persistTo = mkdtempSync(join(tmpdir(), "edgecrew-local-"));
  const over = new AbortController();
  const said: string[] = [];
  const outcome: { answer?: LocalAnswer<Result>; failed?: Error } = {};
  const timers = [clock.after(START_MS, () => over.abort())];
  let isUp = false;
  try {
    const port = await freePort(context);
    await runDevServer(
      {
        folder,
        port,
        persistTo,
        rest: ["--var", "EDGECREW_AUTH:open"],
        cron: true,
        verbose: false,
      },
      {
        processes,
        variables,
        clock,
        fetch,
        signal: AbortSignal.any([signal, over.signal]),
        show: (line) => {
          said.push(line);
          if (!isUp && timers.length === 1 && FAULT.test(line))
            timers.push(clock.after(AFTER_FAULT_MS, () => void (isUp || over.abort())));
        },
        onUp: async () => {
          isUp = true;
          try {
            outcome.answer = { started: true, result: await work(`http://127.0.0.1:${port}`) };
          } catch (error) {
            outcome.failed = error instanceof Error ? error : new Error(String(error));
          }
          over.abort();
        },
      },
    );
  } catch (error) {
    if (!(error instanceof CliFailure) || error.exitCode !== 1) throw error;
    said.push(error.message);
  } finally {
    for (const stop of timers) stop();
    rmSync(persistTo, { recursive: true, force: true });
  }
  if (signal.aborted) throw new CliFailure(130, "interrupted");
  if (outcome.failed !== undefined) throw outcome.failed;
  return outcome.answer ?? { started: false, said: wordsOf(said) };
}

async function freePort({ processes }: CliContext): Promise<number> {
  const first = FIRST_PORT + (processes.id % PORTS);
  for (let port = first; port < first + PORTS; port++)
    if (await processes.isFree(port)) return port;
  throw new CliFailure(1, `no port from ${first} to ${first + PORTS - 1} is free`);
}

/** Removes colours and places inside of the bundle, which do not help the author of the code. */
function wordsOf(lines: readonly string[]): string {
  const text = lines
    .join("\n")
    .replaceAll(/\u001b\[[\d;]*m/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*✘\s*/u, "").trim())
    .filter(
      (line) =>
        line !== "" && !/^at |^\[custom build\]|Logs were written to|ℹ|github\.com/u.test(line),
    );
  // Wrangler prints it several times, with its consequences.
  const uncaught = text.map((line) => /Uncaught (?:\w*Error: )*([^{]+)$/.exec(line)?.[1] ?? "");
  const first = uncaught.find((line) => line !== "");
  return first ?? (text.join("\n") || "it did not answer within three minutes");
}
