import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import {
  conformance,
  conformanceAgUi,
  conformanceModel,
} from "../../../conformance/ag-ui-agent.ts";
import { FrontEnd, ofType, typesOf } from "../../../support/ag-ui-world.ts";
import { HttpWorld } from "../../../support/http-app.ts";

refuseWarnings();

const world = () =>
  new HttpWorld({
    flows: { "ag-ui-checks": conformance },
    runModel: conformanceModel,
    parts: [conformanceAgUi],
  });
const front = () => new FrontEnd(world(), "conformance", {});
const sum = {
  name: "sum",
  description: "Add.",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
};

it("check:state shares a state and changes it", async () => {
  const agent = front().say("check:state");
  const events = await agent.run();
  expect(ofType(events, "STATE_SNAPSHOT")[0]?.snapshot).toEqual({ n: 0, list: [] });
  expect(ofType(events, "STATE_DELTA").length).toBeGreaterThan(0);
  expect(agent.agent.state).toEqual({ n: 1, list: ["a"] });
});

it("check:tool calls a tool of the front end, and answers with its result", async () => {
  const agent = front().say("check:tool");
  const events = await agent.run({ tools: [sum] });
  const [start] = ofType(events, "TOOL_CALL_START");
  const [{ delta } = { delta: "" }] = ofType(events, "TOOL_CALL_ARGS");
  expect(JSON.parse(delta)).toMatchObject({ a: expect.any(Number) });
  expect(start?.toolCallName).toBe("sum");
  agent.agent.addMessage({
    id: "r",
    role: "tool",
    toolCallId: start?.toolCallId ?? "",
    content: "result-42",
  });
  await agent.run({ tools: [sum] });
  expect(agent.lastText).toContain("result-42");
});

it.each([
  [{ approved: true }, "approved"],
  [{ approved: false }, "refused"],
])("check:approval waits for %j", async (payload, text) => {
  const agent = front().say("check:approval");
  await agent.run();
  expect(agent.agent.pendingInterrupts).toHaveLength(1);
  const interruptId = agent.agent.pendingInterrupts[0]?.id ?? "";
  await agent.run({ resume: [{ interruptId, status: "resolved", payload }] });
  expect(agent.lastText).toBe(text);
});

it("check:error is RUN_ERROR, and other words are answered", async () => {
  const agent = front().say("check:error");
  const events = await agent.run();
  expect(typesOf(events).at(-1)).toBe("RUN_ERROR");
  const other = front().say("Good morning");
  await other.run();
  expect(other.lastText).toContain("Good morning");
});
