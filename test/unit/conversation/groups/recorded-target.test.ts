import { describe, expect, it } from "vitest";
import { TargetPlaces } from "../../../../src/conversation/groups/recorded-target.ts";
import { Handoffs, onContextCondition } from "../../../../src/conversation/handoffs.ts";
import {
  agentTarget,
  functionTarget,
  nestedChatTarget,
} from "../../../../src/conversation/targets.ts";

const routed = functionTarget(() => ({ target: agentTarget("b") }));
const places = new TargetPlaces(
  new Map([["a", new Handoffs().add(onContextCondition({ target: routed, condition: "go" }))]]),
);

describe("where a turn leads, as a journal holds it", () => {
  it("RCT1: data is recorded as it is, and a function by its place", () => {
    const target = agentTarget("b");
    expect(JSON.parse(JSON.stringify(places.record(target)))).toEqual({
      target: { kind: "agent", name: "b" },
    });
    const recorded = places.record(routed);
    expect(recorded).toEqual({ place: "a/contextConditions/0" });
    expect(places.target(recorded)).toBe(routed);
  });

  it("RCT1: a place that the code does not have any more is a mismatch", () => {
    expect(() => places.target({ place: "a/contextConditions/7" })).toThrow(
      expect.objectContaining({ code: "journal_mismatch" }),
    );
  });

  it("RCT2: a target that is no hand-over of the group cannot be kept", () => {
    const chats = nestedChatTarget([{ recipient: "b", message: "hi" }]);
    expect(() => places.record(chats)).toThrow(/give the agent a hand-over with it/);
  });
});
