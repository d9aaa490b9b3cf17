import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { AgUiWorld, framesIn, ofType, typesOf } from "../../../support/ag-ui-world.ts";

refuseWarnings();

const helper = new Agent({ role: "Helper", goal: "Help", backstory: "Kind." });
const pickColor = {
  name: "pickColor",
  description: "Pick a color.",
  parameters: { type: "object", properties: { hint: { type: "string" } } },
};
const script = ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `Picked ${last.content}`;
  if (last?.content.includes("two"))
    return {
      toolCalls: [
        { name: "pick_color", arguments: { hint: "one" } },
        { name: "pick_color", arguments: { hint: "two" } },
      ],
    };
  return last?.content.includes("pick")
    ? { toolCalls: [{ name: "pick_color", arguments: { hint: "warm" } }] }
    : `You said: ${last?.content}`;
};
const world = () => new AgUiWorld({ agents: { helper }, script: script as never });

it("UC3, UE2, UK3: the run waits for the front end's tool, and the next request continues it", async () => {
  const app = world();
  const front = app.agent("helper").say("pick");
  const first = await front.run({ tools: [pickColor] });
  const [call] = ofType(first, "TOOL_CALL_START");
  expect(call?.toolCallName).toBe("pickColor");
  expect(ofType(first, "RUN_FINISHED")[0]?.outcome).toEqual({
    type: "success",
    pendingToolCallIds: [call?.toolCallId],
  });
  expect(ofType(first, "TOOL_CALL_RESULT")).toEqual([]);
  front.agent.addMessage({
    id: "result",
    role: "tool",
    toolCallId: call?.toolCallId ?? "",
    content: "red",
  });
  const second = await front.run({ tools: [pickColor] });
  expect(typesOf(second)).not.toContain("TOOL_CALL_START");
  expect(typesOf(second)).not.toContain("TOOL_CALL_RESULT");
  expect(front.lastText).toBe("Picked red");
  expect(app.model.calls).toHaveLength(2);
  const { items } = await app.runs.list({ tenant: "default", limit: 10 });
  expect(items).toHaveLength(1);
});

it("two calls are answered one after the other", async () => {
  const app = world();
  const front = app.agent("helper").say("two");
  const first = await front.run({ tools: [pickColor] });
  const [one, two] = ofType(first, "TOOL_CALL_START").map(({ toolCallId }) => toolCallId);
  front.agent.addMessage({ id: "r1", role: "tool", toolCallId: one ?? "", content: "red" });
  const second = await front.run();
  expect(ofType(second, "RUN_FINISHED")[0]?.outcome).toEqual({
    type: "success",
    pendingToolCallIds: [two],
  });
  front.agent.addMessage({ id: "r2", role: "tool", toolCallId: two ?? "", content: "blue" });
  await front.run();
  expect(front.lastText).toBe("Picked blue");
});

const call = {
  threadId: "t",
  messages: [{ id: "u", role: "user", content: "pick" }],
  tools: [pickColor],
};

async function asked(app: AgUiWorld, runId = "r1") {
  const events = await app.events("helper", { ...call, runId });
  return ofType(events, "TOOL_CALL_START")[0]?.toolCallId ?? "";
}
const answering = (toolCallId: string, result: object = { content: "red" }) => ({
  ...call,
  messages: [...call.messages, { id: "x", role: "tool", toolCallId, ...result }],
});

it("UK2: a call answered twice runs once, and both requests get the rest of the run", async () => {
  const app = world();
  const id = await asked(app);
  const first = await app.events("helper", { ...answering(id), runId: "r2" });
  const again = await app.events("helper", { ...answering(id), runId: "r2" });
  const other = await app.events("helper", { ...answering(id, { content: "blue" }), runId: "r3" });
  const text = (events: typeof first) =>
    ofType(events, "TEXT_MESSAGE_CONTENT")
      .map(({ delta }) => delta)
      .join("");
  expect([text(first), text(again), text(other)]).toEqual([
    "Picked red",
    "Picked red",
    "Picked red",
  ]);
  expect(ofType(other, "RUN_FINISHED")[0]?.runId).toBe("r3");
  expect(app.model.calls).toHaveLength(2);
  // The first request again is the first part again.
  const part = await app.events("helper", { ...call, runId: "r1", protocolVersion: "1.0" });
  expect(ofType(part, "RUN_FINISHED")[0]?.outcome).toEqual({
    type: "success",
    pendingToolCallIds: [id],
  });
});

it("front ends older than 1.0, which name no version and read strictly, get no list of open calls", async () => {
  const app = world();
  const first = await app.events("helper", { ...call, runId: "r1" });
  const loaded = await app.events("helper", { ...call, messages: [], runId: "r2" });
  for (const events of [first, loaded])
    expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "success" });
});

it("an empty thread ends without a list of open calls, in any version", async () => {
  const empty = { threadId: "new", messages: [], tools: [], protocolVersion: "1.0", runId: "r1" };
  const events = await world().events("helper", empty);
  expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "success" });
});

it("an unknown call is RUN_ERROR, and the error of a failed tool reaches the agent", async () => {
  const app = world();
  const id = await asked(app);
  const unknown = await app.events("helper", { ...answering("call_nobody"), runId: "r2" });
  expect(unknown).toMatchObject([{ type: "RUN_ERROR", code: "unknown_tool_call" }]);
  const failed = await app.events("helper", {
    ...answering(id, { content: "", error: "no screen" }),
    runId: "r3",
  });
  expect(JSON.stringify(failed)).toContain("no screen");
  expect(typesOf(failed).at(-1)).toBe("RUN_FINISHED");
});

it("UK3: a user who goes on without the result cancels the waiting run", async () => {
  const app = world();
  const front = app.agent("helper").say("pick");
  await front.run({ tools: [pickColor] });
  front.say("never mind");
  await front.run({ tools: [pickColor] });
  expect(front.lastText).toBe("You said: never mind");
  const { items } = await app.runs.list({ tenant: "default", limit: 10 });
  expect(items.map(({ status }) => status).toSorted()).toEqual(["cancelled", "completed"]);
});

it("UY3: the result of a call without a waiting run is passed on in words", async () => {
  const app = world();
  const messages = [
    { id: "1", role: "user", content: "pick" },
    {
      id: "2",
      role: "assistant",
      toolCalls: [{ id: "c", type: "function", function: { name: "pickColor", arguments: "{}" } }],
    },
    { id: "3", role: "tool", toolCallId: "c", content: "green" },
  ];
  const events = await app.events("helper", { threadId: "fresh", runId: "r", messages });
  expect(JSON.stringify(app.model.calls[0]?.request.messages)).toContain("green");
  expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
});

it("pictures as a tool's result are refused, and the run goes on waiting", async () => {
  const app = world();
  const id = await asked(app);
  const picture = [{ type: "image", source: { type: "url", value: "https://a.test/a.png" } }];
  const events = await app.events("helper", {
    ...answering(id, { content: picture }),
    runId: "r2",
  });
  expect(events).toMatchObject([{ type: "RUN_ERROR", code: "invalid_tool_result" }]);
  const response = await app.post("helper", { ...answering(id), runId: "r3" });
  expect(typesOf((await framesIn(response)).map(({ event }) => event)).at(-1)).toBe("RUN_FINISHED");
});

it("UK2: two results at once are one", async () => {
  const app = world();
  const id = await asked(app);
  const streams = await Promise.all(
    ["a", "b"].map((runId) =>
      app.events("helper", { ...answering(id, { content: runId }), runId }),
    ),
  );
  const said = streams.map((events) =>
    ofType(events, "TEXT_MESSAGE_CONTENT")
      .map(({ delta }) => delta)
      .join(""),
  );
  expect(new Set(said).size).toBe(1);
  expect(app.model.calls).toHaveLength(2);
});

it("the same first request twice at once is one run", async () => {
  const app = world();
  const streams = await Promise.all(
    [1, 2, 3].map(() => app.events("helper", { ...call, runId: "r1" })),
  );
  expect(
    new Set(streams.map((events) => JSON.stringify(ofType(events, "RUN_FINISHED")))).size,
  ).toBe(1);
  expect(app.model.calls).toHaveLength(1);
});
