// What the tools and models of the test crews were asked to do, and gates at which they are held. Tests and Durable
// Objects share one isolate, so both see it; it outlives evictions and aborts.

/** One call of a tool or model, as the outside world saw it. */
export type Call = {
  readonly runId: string;
  /** The step's key. */
  readonly key: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly atMs: number;
  /** When its signal aborted. */
  abortedAtMs?: number;
  /** True once it was let through its gate; a call that never is was killed there. */
  passed?: true;
};

type Account = {
  readonly calls: Call[];
  readonly notes: string[];
  /** Keys of calls that stand at the gate. */
  readonly held: Set<string>;
  /** Counts the kills: a call of an earlier life touches nothing any more. */
  life: number;
  gate: RegExp | undefined;
  readonly passes: Set<string>;
};

const accounts = new Map<string, Account>();

function accountOf(runId: string): Account {
  let account = accounts.get(runId);
  if (account === undefined) {
    account = {
      calls: [],
      notes: [],
      held: new Set(),
      life: 1,
      gate: undefined,
      passes: new Set(),
    };
    accounts.set(runId, account);
  }
  return account;
}

/** Everything that was called for a run, in order. */
export function callsOf(runId: string): readonly Call[] {
  return accountOf(runId).calls;
}

/** The keys of the calls of a run, in order. */
export function keysCalled(runId: string): readonly string[] {
  return callsOf(runId).map(({ key }) => key);
}

/** What the code of tools wrote down: catch and finally blocks that ran. */
export function notesOf(runId: string): readonly string[] {
  return accountOf(runId).notes;
}

export function note(runId: string, text: string): void {
  accountOf(runId).notes.push(text);
}

/** From now on calls whose key matches are entered and then held. */
export function holdCalls(runId: string, gate: RegExp = /^/): void {
  const account = accountOf(runId);
  account.gate = gate;
  account.passes.clear();
}

/** The calls that are being held. */
export function heldCalls(runId: string): readonly string[] {
  return [...accountOf(runId).held];
}

/** Lets one held call go on; with no key, all of them, those to come included. */
export function letGo(runId: string, key?: string): void {
  const account = accountOf(runId);
  if (key === undefined) account.gate = undefined;
  else account.passes.add(key);
}

/**
 * Enters a call, and holds it while its gate is closed. Asks again and again, as one object may not settle another's promise.
 * An aborted call stays at its gate for good when `stubborn`.
 */
export async function enter(
  call: { idempotencyKey: string; attempt?: number },
  signal: AbortSignal,
  options: { stubborn?: boolean } = {},
): Promise<void> {
  const { idempotencyKey } = call;
  const colon = idempotencyKey.indexOf(":");
  const runId = idempotencyKey.slice(0, colon);
  const key = idempotencyKey.slice(colon + 1);
  const account = accountOf(runId);
  const attempt = call.attempt ?? account.calls.filter((earlier) => earlier.key === key).length + 1;
  const entry: Call = { runId, key, idempotencyKey, attempt, atMs: Date.now() };
  account.calls.push(entry);
  signal.addEventListener("abort", () => {
    entry.abortedAtMs = Date.now();
  });
  account.passes.delete(key);
  const { life } = account;
  while (account.gate?.test(key) === true && !account.passes.has(key)) {
    account.held.add(key);
    await new Promise<void>((resolve) => setTimeout(resolve, 3));
    if (account.life !== life) return new Promise<never>(() => {});
    if (signal.aborted && options.stubborn !== true) break;
  }
  account.held.delete(key);
  if (options.stubborn !== true) signal.throwIfAborted();
  entry.passed = true;
}

/** Forgets who stands at the gate, after their object was torn down. */
export function forgetHeld(runId: string): void {
  const account = accountOf(runId);
  account.held.clear();
  account.life++;
}

const alarms = new Map<string, number[]>();

/** When the alarm of an object rang. */
export function alarmsOf(objectName: string): readonly number[] {
  return alarms.get(objectName) ?? [];
}

export function noteAlarm(objectName: string): void {
  alarms.set(objectName, [...alarmsOf(objectName), Date.now()]);
}
