// An older Node would fail later, in the middle of a run. Loading this module checks it; other runtimes are left alone.
import { EngineError } from "./error.ts";

/** Oldest Node with all features used by the engine, as in `engines` of package.json. */
const OLDEST = [22, 12] as const;

/** Globals that identify a runtime. */
export type RuntimeGlobals = {
  readonly process?: { readonly versions?: Readonly<Record<string, string | undefined>> };
  /** Only Workers have it; with nodejs_compat they have a `process` with a Node version too. */
  readonly WebSocketPair?: unknown;
};

/** Throws `unavailable` in a Node below the minimum version. Bun, Deno, Workers and browsers pass. */
export function checkNode(globals: RuntimeGlobals): void {
  if (globals.WebSocketPair !== undefined) return; // a look at `process` makes it, up to a quarter of a Worker's start
  const { node, bun, deno } = globals.process?.versions ?? {};
  if (node === undefined || bun !== undefined || deno !== undefined) return;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new EngineError(
    "unavailable",
    `Edgecrew needs Node ${OLDEST.join(".")} or later; this is ${node}`,
  );
}

checkNode(globalThis);
