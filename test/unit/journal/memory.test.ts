import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { beginDrive, doneRow, perform } from "../../support/journal-harness.ts";
import { openMemoryStore } from "../../support/run-stores.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Resolves with what is left of it after some collections of garbage. */
async function leftOf(ref: WeakRef<object>): Promise<object | undefined> {
  for (let turn = 0; turn < 20 && ref.deref() !== undefined; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    collectGarbage();
  }
  return ref.deref();
}

it("J13: a waiting drive releases the variables of its code, though the journal lives on", async () => {
  const { journal: store } = openMemoryStore().store;
  let ref: WeakRef<object> | undefined;
  const { journal, ended } = beginDrive(store, async (scope) => {
    const large = { text: "x".repeat(1000) };
    ref = new WeakRef(large);
    const answer = await scope.at("ask").wait<string>({ kind: "human" });
    return large.text + answer;
  });
  expect(await ended).toMatchObject({ state: "parked" });
  expect(await leftOf(ref as unknown as WeakRef<object>)).toBeUndefined();
  expect(journal.ended).toBe(true);
});

it("J13: a mismatched drive releases them too, with steps requested and buffered", async () => {
  const { journal: store } = openMemoryStore().store;
  store.put(doneRow("gone", 1));
  store.put(doneRow("asked", 3));
  let ref: WeakRef<object> | undefined;
  const { journal, ended } = beginDrive(store, async (scope) => {
    const large = { text: "x".repeat(1000) };
    ref = new WeakRef(large);
    const both = await Promise.all([
      perform(scope, "asked", () => "a"),
      perform(scope, "new", () => "b"),
    ]);
    return large.text + both.join("");
  });
  expect(await ended).toMatchObject({ state: "held" });
  expect(await leftOf(ref as unknown as WeakRef<object>)).toBeUndefined();
  expect(journal.ended).toBe(true);
});
