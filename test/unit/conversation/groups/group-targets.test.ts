import { expect, it } from "vitest";
import { groupTargets } from "../../../../src/conversation/groups/group-targets.ts";
import { Handoffs, onContextCondition } from "../../../../src/conversation/targets/handoffs.ts";
import {
  recalledTarget,
  recordedTarget,
} from "../../../../src/conversation/targets/recorded-target.ts";
import {
  agentTarget,
  functionTarget,
  nestedChatTarget,
} from "../../../../src/conversation/targets/targets.ts";
import { quiet } from "../../../support/conversations.ts";

it("RCT1: a target of a group is found again by its place among the hand-overs, or by its registered name", () => {
  const routed = functionTarget(() => ({ target: agentTarget("b") }));
  const chats = nestedChatTarget([{ recipient: "b", message: "hi" }]);
  const handoffs = new Handoffs().add(onContextCondition({ target: routed, condition: "go" }));
  const targets = groupTargets({
    members: [quiet("a", { targets: { look: chats } })],
    handoffs: new Map([["a", handoffs]]),
  });
  expect(recordedTarget(routed, targets)).toEqual({
    kind: "registered",
    name: "a/contextConditions/0",
  });
  expect(recordedTarget(chats, targets)).toEqual({ kind: "registered", name: "a/targets/look" });
  expect(recalledTarget(recordedTarget(routed, targets), targets)).toBe(routed);
});
