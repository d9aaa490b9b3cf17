// What a Durable Object goes through: kills, evictions, lost alarms.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { JsonObject } from "../../../src/base/json.ts";
import { isTerminal, type Run } from "../../../src/runtime/run.ts";
import { forgetHeld, heldCalls, holdCalls, letGo } from "./ledger.ts";
import { evict, newId, runs, SOON, start, stepsOf, stubOf, TENANT, until } from "./runs.ts";

/** Kills every object of this test file where it stands, as when the process dies. Nothing wakes them but their alarms. */
export async function killAll(...runIds: readonly string[]): Promise<void> {
  await abortAllDurableObjects();
  for (const id of runIds) forgetHeld(id);
}

/** Rings the alarm now, whenever it is due, and does not wait for it to be served. */
export function ringSoon(id: string): void {
  runDurableObjectAlarm(stubOf(id)).catch(() => undefined); // it may be killed, too
}

/** Resolves when calls of the run are held, or it has ended. */
export async function heldOrEnded(id: string): Promise<readonly string[]> {
  await until(
    `run ${id} calls something or ends`,
    async () => heldCalls(id).length > 0 || isTerminal((await runs.get(TENANT, id)).status),
  );
  return heldCalls(id);
}

/** Runs a crew in which every call is followed by a pause, an eviction and an unpause. Answers the run and how often. */
export async function runWithEvictions(
  name: string,
  inputs: JsonObject = {},
): Promise<{ run: Run; evictions: number }> {
  const id = newId(name);
  holdCalls(id);
  await start(name, { id, inputs });
  for (let evictions = 0; ; evictions++) {
    const held = await heldOrEnded(id);
    if (held.length === 0) return { run: await runs.get(TENANT, id), evictions };
    await runs.pause(TENANT, id);
    for (const key of held) letGo(id, key);
    const { status } = await runs.settled(TENANT, id, SOON.timeout);
    await evict(id);
    if (status === "waiting") await runs.unpause(TENANT, id);
  }
}

/** Runs a crew in which every call but those `spared` is killed once. Answers the run and the keys of the killed calls. */
export async function runWithKills(
  name: string,
  { spared, inputs = {} }: { spared?: RegExp; inputs?: JsonObject } = {},
): Promise<{ run: Run; killed: readonly string[] }> {
  const id = newId(name);
  const killed = new Set<string>();
  holdCalls(id);
  await start(name, { id, inputs });
  for (;;) {
    const held = await heldOrEnded(id);
    if (held.length === 0) return { run: await runs.get(TENANT, id), killed: [...killed] };
    const victim = held.find((key) => spared?.test(key) !== true && !killed.has(key));
    if (victim === undefined) {
      for (const key of held) letGo(id, key);
      // The next kill shall not find them under way: then they might be made once more.
      await until("their results are on record", async () =>
        (await stepsOf(id)).every(({ key, state }) => !held.includes(key) || state !== "started"),
      );
      continue;
    }
    for (const key of held) killed.add(key);
    await killAll(id);
    ringSoon(id);
  }
}

/** The alarm is gone, as when it fired into an object that was being reset. */
export function loseAlarm(id: string): Promise<void> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.deleteAlarm());
}
