import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { PlatformFault } from "../../../src/base/platform-fault.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import type { JournalStore } from "../../../src/journal/journal-store.ts";
import { beginDrive, drive, perform, rowsOf } from "../../support/journal-harness.ts";
import { faultyRunStore } from "../../support/faulty-run-store.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

const interrupted = {
  state: "interrupted",
  cause: expect.objectContaining({ message: expect.stringContaining("the storage failed") }),
};

describe.each(RUN_STORES)("failing storage, $name", ({ open }) => {
  it.each([
    ["the start of a step", "put a started"],
    ["a result", "put a done"],
    ["a failure", "put b error"],
    ["a wait", "put ask waiting"],
    ["a reading", "put r/now done"],
  ])("J11: at %s ends the drive undecided, and reaches no user code", async (_, failing) => {
    const { store } = open();
    const { journal } = faultyRunStore(store, (write) => write === failing);
    const heard: string[] = [];
    const result = await drive(journal, async (scope) => {
      try {
        scope.at("r").now();
        await perform(scope, "a", () => 1);
        await perform(scope, "b", () => Promise.reject(new Error("expected"))).catch(() =>
          heard.push("b failed"),
        );
        return await scope.at("ask").wait<JsonValue>({ kind: "input" });
      } catch (error) {
        heard.push(String(error));
        return null;
      }
    });
    expect(result).toMatchObject(interrupted);
    expect(heard).toEqual(failing === "put ask waiting" ? ["b failed"] : []);
  });

  it("J11: at a read ends the drive undecided", async () => {
    const { store } = open();
    const { journal } = store;
    await drive(journal, (scope) => perform(scope, "a", () => 1)); // a step on record is read
    const broken = new Proxy(journal, {
      get: (target, name) => {
        if (name === "get")
          return () => {
            throw new PlatformFault("the storage failed at a read");
          };
        const member = target[name as keyof JournalStore];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    expect(
      await drive(broken, (scope) => perform(scope, "a", () => 1).catch(() => 2)),
    ).toMatchObject(interrupted);
  });

  it("J11: repeats unrecorded steps in the next drive", async () => {
    const { store } = open();
    let calls = 0;
    const program = (scope: RunScope): Promise<JsonValue> => perform(scope, "a", () => ++calls);
    await drive(faultyRunStore(store, (write) => write === "put a done").journal, program);
    expect(await drive(store.journal, program)).toEqual({ state: "completed", value: 2 });
  });

  it("J11: at an answer leaves the wait open", async () => {
    const { store } = open();
    const { journal } = faultyRunStore(store, (write) => write === "put ask done");
    const {
      journal: driven,
      ended,
      clock,
    } = beginDrive(journal, async (scope) => {
      await Promise.all([
        scope.at("ask").wait({ kind: "input" }),
        perform(scope, "hold", () => new Promise<null>(() => {})),
      ]);
      return null;
    });
    await clock.settle();
    expect(() => driven.settle("ask", { value: 1 })).toThrow("the storage failed");
    expect(await ended).toMatchObject(interrupted);
    expect(store.journal.waits()).toHaveLength(1);
  });

  it("J11: a fault of the platform inside a step ends the drive undecided", async () => {
    const { journal } = open().store;
    const fault = new PlatformFault(new Error("Network connection lost."));
    const result = await drive(journal, (scope) =>
      perform(scope, "a", () => Promise.reject(fault)).catch(() => "caught"),
    );
    expect(result).toEqual({ state: "interrupted", cause: fault });
    expect(rowsOf(journal)).toMatchObject([{ key: "a", state: "started" }]);
  });

  it("J11: a fault of the platform between two steps ends the drive undecided", async () => {
    const { journal } = open().store;
    const fault = new PlatformFault(new Error("Network connection lost."));
    expect(await drive(journal, () => Promise.reject(fault))).toEqual({
      state: "interrupted",
      cause: fault,
    });
  });

  it.each([
    "Durable Object reset because its code was updated.",
    "Durable Object storage operation exceeded timeout",
    "Network connection lost.",
    "the S3 object has been deleted",
  ])(
    "J11: the words of the platform make no fault of it in a user's error: %s",
    async (message) => {
      const { journal } = open().store;
      const result = await drive(journal, (scope) =>
        perform(scope, "a", () => Promise.reject(new Error(message))).catch(() => "caught"),
      );
      expect(result).toEqual({ state: "completed", value: "caught" });
      expect(rowsOf(journal)).toMatchObject([{ key: "a", state: "error", error: { message } }]);
    },
  );
});
