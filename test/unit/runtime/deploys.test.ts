// Random programs, stopped where they wait, under random changes of their code, and then under the first code again.
import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { openSqlStore } from "../../support/run-stores.ts";
import { seededRandom } from "../../simulation/virtual-time.ts";
import { RunWorld } from "../../support/run-world.ts";

type Part =
  | { readonly does: "call"; readonly name: string; readonly prompt: string }
  | { readonly does: "ask"; readonly name: string }
  | { readonly does: "group" | "parallel"; readonly name: string; readonly parts: readonly Part[] };

/** A whole number from 0 up to, and without, the one given. */
type Random = (below: number) => number;

const SEEDS = 400;

function randomParts(random: Random, depth: number): readonly Part[] {
  return Array.from({ length: 1 + random(4) }, (_, n): Part => {
    const kind = random(depth === 0 ? 5 : 9);
    if (kind < 3) return { does: "call", name: `call${n}`, prompt: "as it was" };
    if (kind < 5) return { does: "ask", name: `ask${n}` };
    const does = kind < 7 ? "group" : "parallel";
    return { does, name: `${does}${n}`, parts: randomParts(random, depth - 1) };
  });
}

/** One change somewhere: another prompt or name, a part more or less, two in another order. */
function changed(parts: readonly Part[], random: Random): readonly Part[] {
  const place = random(parts.length);
  const part = parts[place] as Part;
  if ("parts" in part && random(3) > 0)
    return parts.with(place, { ...part, parts: changed(part.parts, random) });
  switch (random(5)) {
    case 0:
      return part.does === "call" ? parts.with(place, { ...part, prompt: "another" }) : parts;
    case 1:
      return parts.with(place, { ...part, name: `${part.name}-renamed` });
    case 2:
      return parts.toSpliced(place, 0, { does: "call", name: "added", prompt: "new" });
    case 3:
      return parts.toSpliced(place, 1);
    default:
      return [...parts.slice(place), ...parts.slice(0, place)];
  }
}

/** Carries out a program; `calls` has every call that is made, by its path. */
function programOf(parts: readonly Part[], calls: Map<string, number>) {
  const one = (scope: RunScope, part: Part): Promise<JsonValue> => {
    const here = scope.at(part.name);
    switch (part.does) {
      case "ask":
        return here.wait<JsonValue>({ kind: "human" });
      case "call":
        return here.step<JsonValue>({
          kind: "tool",
          inputHash: part.prompt,
          run: async () => {
            calls.set(here.path, (calls.get(here.path) ?? 0) + 1);
            return `result of ${here.path}`;
          },
        });
      case "parallel":
        return Promise.all(part.parts.map((each) => one(here, each)));
      default:
        return here.group("task", (inside) => all(inside, part.parts));
    }
  };
  const all = async (scope: RunScope, list: readonly Part[]): Promise<JsonValue> => {
    const results: JsonValue[] = [];
    for (const part of list) results.push(await one(scope, part));
    return results;
  };
  return (scope: RunScope) => all(scope, parts);
}

/** Answers questions, at most so many, until the run waits for none or has ended. */
async function answer(world: RunWorld, most: number): Promise<void> {
  for (let n = 0; n < most; n++) {
    const { waits, status } = await world.host.status();
    const [open] = waits;
    if (status !== "waiting" || open === undefined) return;
    await world.host.resume({ key: open.key, value: `answer to ${open.key}` });
    await world.rest();
  }
}

it("CC2, J12: no deploy ends a run, repeats a call, or loses an answer, and the first code always goes on", async () => {
  const seen = { held: 0, completed: 0, backAgain: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const fraction = seededRandom(seed);
    const random: Random = (below) => Math.floor(fraction() * below);
    const parts = randomParts(random, 2);
    const calls = new Map<string, number>();
    const original = programOf(parts, calls);
    const undisturbed = new RunWorld(programOf(parts, new Map()));
    await undisturbed.begin();
    await answer(undisturbed, 1000);
    const expected = (await undisturbed.host.status()).output;

    const world = new RunWorld(original, { fixture: openSqlStore(), codeVersion: "v1" });
    await world.begin();
    await answer(world, random(3));
    if ((await world.host.status()).status !== "waiting") continue;
    const stepsBefore = world.store.journal.count();

    world.deploy("v2", programOf(changed(parts, random), calls));
    await answer(world, 1 + random(4));
    const run = await world.host.status();
    expect(run.error, `seed ${seed}`).toBeUndefined();
    for (const [path, count] of calls) expect([seed, path, count]).toEqual([seed, path, 1]);
    if (run.held !== undefined) seen.held++;
    if (run.status === "completed") seen.completed++;
    // What the other code has added to the record, the first code does not fit any more.
    const isUntouched = world.store.journal.count() === stepsBefore;
    if (run.status === "completed" || !isUntouched) continue;

    world.deploy("v3", original);
    await world.host.poke();
    await world.rest();
    await answer(world, 1000);
    expect([seed, await world.host.status()]).toMatchObject([
      seed,
      { status: "completed", output: expected as never },
    ]);
    for (const [path, count] of calls) expect([seed, path, count]).toEqual([seed, path, 1]);
    seen.backAgain++;
  }
  // The programs are such that each of these happens often.
  expect(Object.values(seen).every((count) => count > SEEDS / 20)).toBe(true);
});
