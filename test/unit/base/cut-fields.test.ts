import { describe, expect, it } from "vitest";
import { cutFields, MAX_EVENT_TEXT } from "../../../src/base/cut.ts";
import { EventLog, InMemoryEventStore } from "../../../src/events/event-log.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const ROOM = MAX_EVENT_TEXT + 200;

describe("fields of an event", () => {
  it("stay as they are up to the bound", () => {
    const fields = { topic: "tea", list: [1, { a: null }] };
    expect(cutFields(fields)).toEqual(fields);
  });

  it.each([
    ["one long text", { id: "x", text: "a".repeat(900_000) }],
    ["a long list", { id: "x", list: Array.from({ length: 90_000 }, () => 1) }],
    ["many long texts", { id: "x", a: "a".repeat(90_000), b: "b".repeat(90_000) }],
  ])("keep the short ones and are cut, with %s", (_, fields) => {
    const shown = cutFields(fields);
    expect(shown["id"]).toBe("x");
    expect(JSON.stringify(shown).length).toBeLessThan(ROOM);
    expect(JSON.stringify(shown)).toContain("characters left out");
  });

  it("are bounded for any number of names", () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`n${index}`, 1]));
    expect(JSON.stringify(cutFields(many)).length).toBeLessThan(3 * MAX_EVENT_TEXT);
  });

  it("E5: are cut in every event that has inputs", () => {
    const store = new InMemoryEventStore();
    const log = new EventLog({ runId: "r", store, clock: new SimulatedClock() });
    const inputs = { topic: "a".repeat(900_000) };
    log.emit("run_started", { path: "" }, { kind: "crew", name: "c", inputs });
    const [event] = store.read(0, 1);
    expect(JSON.stringify(event).length).toBeLessThan(ROOM + 200);
  });
});
