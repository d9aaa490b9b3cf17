import type { Clock } from "../base/clock.ts";
import type { RunningProgram } from "./processes.ts";

const GRACE_MS = 5_000;

/** Waits for a program. If the signal comes first, asks it to end, and kills it after five seconds. */
export async function untilEnd(
  program: RunningProgram,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
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
