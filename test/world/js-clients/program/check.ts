// The frame of the programs: each check is one line of JSON on the standard output.
import assert, { AssertionError } from "node:assert/strict";
import process from "node:process";

const [, , address = "", apiKey = "", firstFailing = "0", extent = ""] = process.argv;

/** Address of the Worker, without a slash at its end. */
export const url = address;
export const key = apiKey;
/** True for the sample of continuous integration: the newest version of each SDK, and what is older where it is quick. */
export const isSlice = extent === "slice";
/** Names threads of this run of the program. */
export const unique = Date.now().toString(36);
export const bearer = { authorization: `Bearer ${apiKey}` };

const LIMIT_MS = 40_000;

/** Runs one check, and prints how it ended. A check that hangs is one that does not hold. */
export async function check(client: string, name: string, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs for ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  const began = performance.now();
  const said = await Promise.race([run(), hangs]).then(
    () => undefined,
    (error: unknown) => describe(error),
  );
  clearTimeout(timer);
  const ms = Math.round(performance.now() - began);
  process.stdout.write(`${JSON.stringify({ client, name, ok: said === undefined, said, ms })}\n`);
}

/** Checks that run beside each other. */
export async function together(checks: readonly Promise<void>[]): Promise<void> {
  await Promise.all(checks);
}

/** Ends the program: libraries leave timers and sockets behind. */
export function leave(): never {
  process.stdout.write('{"end":true}\n');
  process.exit(0);
}

let nextFailing = Number(firstFailing);

/** Calls a crew that fails and that nobody else calls, and counts its runs. */
export async function expectOneRun(call: (crew: string) => Promise<void>): Promise<void> {
  const crew = `failing-${nextFailing++}`;
  await call(crew);
  let runs = 0;
  for (let tries = 0; runs === 0 && tries < 50; tries++) {
    await pause(200); // the list follows the runs within a moment
    const answer = await fetch(`${url}/runs?kind=crew&name=${crew}&limit=100`, {
      headers: bearer,
    });
    runs = ((await answer.json()) as { items: readonly unknown[] }).items.length;
  }
  assert.equal(runs, 1, `${runs} runs for one call`);
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

function describe(error: unknown): string {
  if (error instanceof AssertionError) return error.message.slice(0, 1_500);
  const { name, message, cause } = error as Error;
  const from = cause instanceof Error ? ` (cause: ${cause.message})` : "";
  return `${name}: ${message}${from}`.slice(0, 1_500);
}
