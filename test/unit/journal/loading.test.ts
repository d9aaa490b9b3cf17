// Parts of the program that are loaded in the midst of a drive take time that belongs to no step.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { drive, perform, rowsOf } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";

const LOADING_MS = 20;
const slowly = (): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve("part"), LOADING_MS));

describe.each(RUN_STORES)("loading, $name", ({ open }) => {
  const program = async (scope: RunScope): Promise<JsonValue> => {
    const branch = async (): Promise<JsonValue> => {
      const part = await scope.load(slowly);
      return perform(scope, "step", () => part);
    };
    const [value] = await Promise.all([branch(), scope.at("ask").wait({ kind: "input" })]);
    return value;
  };

  it("lets a loading branch start its steps before the run waits for an answer", async () => {
    const { journal } = open().store;
    expect(await drive(journal, program)).toMatchObject({ state: "parked", reason: "waiting" });
    expect(rowsOf(journal).map(({ key, state }) => [key, state])).toContainEqual(["step", "done"]);
  });

  it("does not take a step for abandoned while its branch loads", async () => {
    const { journal } = open().store;
    await drive(journal, program);
    expect(await drive(journal, program)).toMatchObject({ state: "parked", reason: "waiting" });
  });

  it("reports a failed load", async () => {
    const { journal } = open().store;
    const failing = (scope: RunScope): Promise<JsonValue> =>
      scope.load(async () => Promise.reject(new Error("gone")));
    expect(await drive(journal, failing)).toMatchObject({
      state: "failed",
      error: { message: "gone" },
    });
  });
});
