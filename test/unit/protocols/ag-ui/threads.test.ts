import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { AgUiWorld, ofType, typesOf } from "../../../support/ag-ui-world.ts";
import { ask } from "../../../support/http-app.ts";

refuseWarnings();

const add = tool({
  name: "add",
  description: "Add.",
  input: z.object({ a: z.number() }),
  run: ({ a }) => String(a + 1),
});
const helper = new Agent({ role: "Helper", goal: "Help", backstory: "Kind.", tools: [add, ask] });
const pick = { name: "pick", description: "Pick.", parameters: { type: "object" } };
const script = ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `Got ${last.content}`;
  if (last?.content === "add")
    return { text: "Adding", toolCalls: [{ name: "add", arguments: { a: 1 } }] };
  if (last?.content === "pick") return { toolCalls: [{ name: "pick", arguments: {} }] };
  if (last?.content === "ask")
    return { toolCalls: [{ name: "ask", arguments: { question: "Sure?" } }] };
  return "Fine";
};
const world = () => new AgUiWorld({ agents: { helper }, script: script as never });

it("UT1: a reloaded page has the earlier messages, with the same ids", async () => {
  const app = world();
  const front = app.agent("helper", { threadId: "t" }).say("Hi");
  await front.run();
  front.say("add");
  await front.run();
  front.say("pick");
  await front.run({ tools: [pick] });
  const calls = front.agent.messages.flatMap((each) =>
    each.role === "assistant" ? (each.toolCalls ?? []) : [],
  );
  front.agent.addMessage({
    id: "picked",
    role: "tool",
    toolCallId: calls.at(-1)?.id ?? "",
    content: "red",
  });
  await front.run({ tools: [pick] });
  const before = front.agent.messages;
  const again = app.agent("helper", { threadId: "t" });
  const events = await again.run();
  expect(typesOf(events)).toEqual(["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  expect(again.agent.messages).toEqual(before);
  const { status, json } = await app.ask("/ag-ui/helper/threads/t");
  expect(status).toBe(200);
  expect(json["messages"]).toEqual(before);
  expect(app.model.calls).toHaveLength(5);
});

it("a reloaded page has the open question, and can answer it", async () => {
  const app = world();
  await app.agent("helper", { threadId: "t" }).say("ask").run();
  const again = app.agent("helper", { threadId: "t" });
  await again.run();
  expect(again.agent.pendingInterrupts).toMatchObject([
    { reason: "input_required", message: "Sure?" },
  ]);
  const interruptId = again.agent.pendingInterrupts[0]?.id ?? "";
  await again.run({ resume: [{ interruptId, status: "resolved", payload: "yes" }] });
  expect(again.lastText).toBe('Got {"feedback":"yes"}');
});

it("a reloaded page has its open tool calls", async () => {
  const app = world();
  await app
    .agent("helper", { threadId: "t" })
    .say("pick")
    .run({ tools: [pick] });
  const again = app.agent("helper", { threadId: "t" });
  const events = await again.run({ tools: [pick] });
  const { outcome } = ofType(events, "RUN_FINISHED")[0] ?? {};
  const [id = ""] = (outcome?.type === "success" && outcome.pendingToolCallIds) || [];
  again.agent.addMessage({ id: "picked", role: "tool", toolCallId: id, content: "blue" });
  await again.run({ tools: [pick] });
  expect(again.lastText).toBe("Got blue");
});

it("a new thread without messages is empty, and starts no run", async () => {
  const app = world();
  const events = await app.agent("helper").run();
  expect(ofType(events, "MESSAGES_SNAPSHOT")[0]?.messages).toEqual([]);
  expect((await app.runs.list({ tenant: "default", limit: 5 })).items).toEqual([]);
  expect((await app.ask("/ag-ui/helper/threads/none")).status).toBe(404);
});

it("a thread has its state again, and a subject that takes only data starts with it", async () => {
  const counter = defineFlow({
    name: "counter",
    state: z.object({ n: z.number() }),
    methods: { count: { start: true, run: ({ state }) => void (state.n += 1) } },
  });
  const app = new AgUiWorld({ flows: { counter } });
  const front = app.agent("counter", { threadId: "t", state: { n: 4 } });
  await front.run();
  expect(front.agent.state).toEqual({ n: 5 });
  const again = app.agent("counter", { threadId: "t" });
  await again.run();
  expect(again.agent.state).toEqual({ n: 5 });
});
