// The only engine file with access to the machine's clock and randomness; all other code receives these.
import { toBase64Url } from "./bytes.ts";
import type { Clock } from "./clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (delayMs, callback) => {
    // Node rounds a timer up to a millisecond and sleeps for it, which takes half the time of a short run.
    if (delayMs <= 0 && typeof setImmediate === "function") {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The network, for code without another `fetch`. */
export const systemFetch: typeof fetch = (input, init) => fetch(input, init);

/** A fresh id for a run: a random UUID (version 4). */
export const randomId = (): string => crypto.randomUUID();

/** Environment variables of the process; empty without a process. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}

/** Returns a secret of 32 random bytes, as 43 characters without escaping in URLs and headers. */
export function randomSecret(): string {
  return toBase64Url(randomBytes(32));
}

/** Random bytes from a secure source. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Severity of a log line. */
export type LineLevel = "error" | "warn" | "info" | "debug";

/** Writes a log line to the platform's output for its level. */
export function writeLine(level: LineLevel, line: string): void {
  // oxlint-disable no-console -- the process's log
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
  // oxlint-enable no-console
}

/** Prints a line for the person at the terminal. */
export function printLine(line: string): void {
  // oxlint-disable-next-line no-console -- writes the log
  console.log(line);
}
