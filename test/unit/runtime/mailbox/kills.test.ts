import { afterEach, describe, expect, it, vi } from "vitest";
import { Mailbox } from "../../../../src/runtime/mailbox/mailbox.ts";
import type { RunStore } from "../../../../src/runtime/run-store.ts";
import { playKilledRun, type PlantedStore } from "../../../support/mail-world.ts";
import { overriding } from "../../../simulation/overriding.ts";

const MESSAGES = 20;

it("no message is lost, doubled or late, whenever the process is killed", async () => {
  let kills = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const run = await playKilledRun(seed, MESSAGES);
    expect([seed, run.faults]).toEqual([seed, []]);
    kills += run.kills;
  }
  expect(kills).toBeGreaterThan(200);
}, 120_000);

describe("a planted bug is found", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const caught = async (bug?: PlantedStore): Promise<boolean> => {
    for (let seed = 1; seed <= 20; seed++) {
      const { faults } = await playKilledRun(seed, MESSAGES, bug);
      if (faults.length > 0) return true;
    }
    return false;
  };
  type Take = () => ReturnType<Mailbox["take"]>;
  const own = Object.getOwnPropertyDescriptor(Mailbox.prototype, "take")?.value as Mailbox["take"];
  const planted = (bug: (take: Take) => ReturnType<Take>): void => {
    vi.spyOn(Mailbox.prototype, "take").mockImplementation(function (this: Mailbox, ...asked) {
      return bug(() => own.apply(this, asked));
    });
  };
  const journalOf = (store: RunStore, put: RunStore["journal"]["put"]): RunStore =>
    overriding(store, { journal: overriding(store.journal, { put }) });

  it("messages in another order", async () => {
    planted((take) => take().toReversed());
    expect(await caught()).toBe(true);
  });

  it("a message that comes a call later", async () => {
    let isLate = false;
    planted((take) => {
      isLate = !isLate;
      return isLate ? [] : take();
    });
    expect(await caught()).toBe(true);
  });

  it("undelivered messages of which nothing is told", async () => {
    vi.spyOn(Mailbox.prototype, "ends").mockImplementation(() => undefined);
    expect(await caught()).toBe(true);
  });

  it("a delivery that is not on record", async () => {
    const bug: PlantedStore = (store) =>
      journalOf(store, (row) => {
        if (!row.key.endsWith("/mail")) store.journal.put(row);
      });
    expect(await caught(bug)).toBe(true);
  });

  it("a message that is accepted and not stored", async () => {
    const bug: PlantedStore = (store) =>
      overriding(store, {
        setValue: (name, json) => {
          if (!name.startsWith("message:")) store.setValue(name, json);
        },
      });
    expect(await caught(bug)).toBe(true);
  });

  it("a withdrawn message that is delivered", async () => {
    const bug: PlantedStore = (store) =>
      overriding(store, {
        setValue: (name, json) => {
          if (!json.includes('"withdrawn":true')) store.setValue(name, json);
        },
      });
    expect(await caught(bug)).toBe(true);
  });
});
