import { describe, expect, it } from "vitest";
import { eventTypes, opensScope, scopeStartOf } from "../../../src/events/run-event.ts";

describe("the names of events", () => {
  it.each([
    ["baking_completed", "baking_started"],
    ["baking_finished", "baking_started"],
    ["baking_failed", "baking_started"],
    ["baking_error", "baking_started"],
    ["recipe_received", "recipe_requested"],
  ])("map %s to its start %s", (end, start) => {
    expect(scopeStartOf(end)).toBe(start);
    expect(opensScope(start)).toBe(true);
    expect(opensScope(end)).toBe(false);
  });

  it.each(["run_completed", "run_failed", "run_cancelled", "run_started", "oven_degraded"])(
    "let %s end no scope",
    (type) => {
      expect(scopeStartOf(type)).toBeUndefined();
    },
  );

  it("are listed as a set", () => {
    type BakeryEvents = { baking_started: object; baking_finished: object };
    expect([...eventTypes<BakeryEvents>({ baking_started: true, baking_finished: true })]).toEqual([
      "baking_started",
      "baking_finished",
    ]);
  });
});
