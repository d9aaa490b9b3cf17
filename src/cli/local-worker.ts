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
  | { readonly started: false; readonly failure: CliFailure; readonly said: string };

const FIRST_PORT = 8_900;
const PORTS = 100;

/** Serves the project without keys, runs the work, and ends. Throws exit code 2 without wrangler, 130 for Ctrl-C. */
export async function withLocalWorker<Result>(
  context: CliContext,
  folder: string,
  work: (url: string) => Promise<Result>,
): Promise<LocalAnswer<Result>> {
  const { processes, signal } = context;
  const persistTo = mkdtempSync(join(tmpdir(), "edgecrew-local-"));
  const over = new AbortController();
  const first = FIRST_PORT + (processes.id % PORTS);
  const outcome: { answer?: LocalAnswer<Result>; failed?: Error } = {};
  try {
    await runDevServer(
      {
        folder,
        port: { first, last: first + PORTS - 1 },
        persistTo,
        rest: ["--var", "EDGECREW_AUTH:open"],
        cron: true,
        forCommand: true,
        verbose: false,
      },
      {
        ...context,
        signal: AbortSignal.any([signal, over.signal]),
        show: () => undefined,
        onUp: async (_, port) => {
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
    const { cause } = error;
    const said = wordsOf(cause instanceof Error ? cause.message : error.message);
    outcome.answer = { started: false, failure: error, said };
  } finally {
    rmSync(persistTo, { recursive: true, force: true });
  }
  if (signal.aborted) throw new CliFailure(130, "interrupted");
  const { answer, failed = new Error("the Worker ended before it answered") } = outcome;
  if (answer === undefined) throw failed;
  return answer;
}

/** Removes colours and places inside of the bundle, which do not help the author of the code. */
function wordsOf(output: string): string {
  const text = output
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
