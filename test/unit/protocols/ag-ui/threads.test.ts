import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { AgUiWorld, ofType, typesOf, type FrontEnd } from "../../../support/ag-ui-world.ts";
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

it("a reloaded page has the call that waits for an approval, and can approve it", async () => {
  const pay = tool({
    name: "pay",
    description: "Pay.",
    input: z.object({}),
    needsApproval: true,
    run: () => "paid",
  });
  const payer = new Agent({ role: "Payer", goal: "Pay", backstory: "Rich.", tools: [pay] });
  const app = new AgUiWorld({
    agents: { payer },
    script: (({ messages }: { messages: readonly { role: string; content: string }[] }) =>
      messages.at(-1)?.role === "tool"
        ? `Got ${messages.at(-1)?.content}`
        : { toolCalls: [{ name: "pay", arguments: {} }] }) as never,
  });
  const front = app.agent("payer", { threadId: "t" }).say("pay");
  await front.run();
  const { json } = await app.ask("/ag-ui/payer/threads/t");
  expect(json["messages"]).toEqual(front.agent.messages);
  const again = app.agent("payer", { threadId: "t" });
  await again.run();
  expect(again.agent.messages).toEqual(front.agent.messages);
  const [interrupt] = again.agent.pendingInterrupts;
  expect(interrupt).toMatchObject({
    reason: "tool_call",
    id: front.agent.pendingInterrupts[0]?.id,
  });
  // As CopilotKit does, which adds a result of its own to the call.
  const toolCallId = interrupt?.toolCallId ?? "";
  again.agent.addMessage({ id: "own", role: "tool", toolCallId, content: "approved" });
  await again.run({
    resume: [{ interruptId: interrupt?.id ?? "", status: "resolved", payload: { approved: true } }],
  });
  expect(again.lastText).toBe("Got paid");
});

it("a page that is loaded between two tools of the front end has the result of the first", async () => {
  const app = new AgUiWorld({
    agents: { helper },
    script: (({ messages }: { messages: readonly { role: string; content: string }[] }) =>
      messages.filter(({ role }) => role === "tool").length < 2
        ? { toolCalls: [{ name: "pick", arguments: {} }] }
        : "Done") as never,
  });
  const front = app.agent("helper", { threadId: "t" }).say("go");
  const pickedAs = async (id: string, page: FrontEnd): Promise<void> => {
    const last = page.agent.messages.findLast(({ role }) => role === "assistant");
    const toolCallId = last?.role === "assistant" ? (last.toolCalls?.[0]?.id ?? "") : "";
    page.agent.addMessage({ id, role: "tool", toolCallId, content: "red" });
    await page.run({ tools: [pick] });
  };
  await front.run({ tools: [pick] });
  await pickedAs("first", front);
  const again = app.agent("helper", { threadId: "t" });
  await again.run({ tools: [pick] });
  expect(again.agent.messages).toEqual(front.agent.messages);
  await pickedAs("second", again);
  expect(again.lastText).toBe("Done");
});

it("UT2: an answer that is asked for again takes the place of the earlier one, and a changed message too", async () => {
  const app = world();
  let texts = 0;
  const numbered = new AgUiWorld({ agents: { helper }, script: () => `Answer ${++texts}` });
  const front = numbered.agent("helper", { threadId: "t" });
  await front.say("One", "u1").run();
  await front.say("Two", "u2").run();
  const [one, first, two, second] = front.agent.messages;
  expect(second).toMatchObject({ content: "Answer 2" });
  front.agent.setMessages(front.agent.messages.slice(0, 3));
  await front.run();
  const shown = async (): Promise<readonly { content: string }[]> => {
    const again = numbered.agent("helper", { threadId: "t" });
    await again.run();
    expect(again.agent.messages).toEqual(front.agent.messages);
    return again.agent.messages as never;
  };
  expect((await shown()).map(({ content }) => content)).toEqual([
    "One",
    "Answer 1",
    "Two",
    "Answer 3",
  ]);
  front.agent.setMessages([one, first].filter((each) => each !== undefined));
  await front.say("Other", "u3").run();
  expect((await shown()).map(({ content }) => content)).toEqual([
    "One",
    "Answer 1",
    "Other",
    "Answer 4",
  ]);
  // A front end that sends its last message alone continues the thread.
  front.agent.setMessages([{ id: "u4", role: "user", content: "Last" }]);
  await front.run();
  const { json } = await numbered.ask("/ag-ui/helper/threads/t");
  expect(json["messages"]).toHaveLength(6);
  expect(two).toMatchObject({ content: "Two" });
  expect(app.model.calls).toHaveLength(0);
});

it("a thread that is stopped has no run that goes on, and takes the next message", async () => {
  const app = world();
  const front = app.agent("helper", { threadId: "t" }).say("ask");
  await front.run();
  const stop = async () => app.ask("/ag-ui/helper/threads/t/cancel", { method: "POST" });
  expect(await stop()).toMatchObject({ status: 200, json: { cancelled: 1 } });
  expect(await stop()).toMatchObject({ status: 200, json: { cancelled: 0 } });
  const again = app.agent("helper", { threadId: "t" });
  await again.run();
  expect(again.agent.pendingInterrupts).toEqual([]);
  await again.say("Hi").run();
  expect(again.lastText).toBe("Fine");
  expect(await app.ask("/ag-ui/nobody/threads/t/cancel", { method: "POST" })).toMatchObject({
    status: 404,
  });
});

it("a run that goes on behind a later one of its thread keeps its place", async () => {
  const gate = Promise.withResolvers<string>();
  const app = new AgUiWorld({
    agents: { helper },
    script: ({ messages }) =>
      messages.findLast(({ role }) => role === "user")?.content === "slow" ? gate.promise : "Fine",
  });
  const input = (id: string, content: string) => ({
    threadId: "t",
    runId: id,
    messages: [{ id, role: "user", content }],
  });
  const leaving = await app.post("helper", input("u1", "slow"));
  await leaving.body?.cancel();
  await app.clock.advance(5);
  await app.events("helper", input("u2", "Hi"));
  const again = app.agent("helper", { threadId: "t" });
  await again.run();
  const shown = again.agent.messages.map(({ role, content }) => [role, content]);
  expect(shown).toEqual([
    ["user", "slow"],
    ["user", "Hi"],
    ["assistant", "Fine"],
  ]);
  gate.resolve("Late");
});
