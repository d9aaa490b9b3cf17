import { beforeEach, expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { AgUiWorld, ofType, typesOf, type FrontEnd } from "../../../support/ag-ui-world.ts";
import { ask, askingScript } from "../../../support/http-app.ts";

refuseWarnings();

const paid: unknown[] = [];
const pay = tool({
  name: "pay",
  description: "Pay.",
  input: z.object({ amount: z.number() }),
  needsApproval: true,
  run: (input) => {
    paid.push(input);
    return `paid ${input.amount}`;
  },
});
const payer = new Agent({ role: "Payer", goal: "Pay", backstory: "Careful.", tools: [pay] });
const asker = new Agent({ role: "Asker", goal: "Ask", backstory: "Curious.", tools: [ask] });
const paying = ({ messages }: { messages: readonly { role: string; content: string }[] }) => {
  const last = messages.at(-1);
  return last?.role === "tool"
    ? `Done: ${last.content}`
    : { toolCalls: [{ name: "pay", arguments: { amount: 5 } }] };
};
beforeEach(() => void paid.splice(0));

const interruptsOf = (front: FrontEnd) => front.agent.pendingInterrupts;

it("a tool call waits for its approval: an interrupt with the call, then only its result", async () => {
  const world = new AgUiWorld({ agents: { payer }, script: paying as never });
  const front = world.agent("payer").say("pay");
  const first = await front.run();
  const [start] = ofType(first, "TOOL_CALL_START");
  expect(interruptsOf(front)).toMatchObject([
    {
      reason: "tool_call",
      toolCallId: start?.toolCallId,
      responseSchema: { required: ["approved"] },
    },
  ]);
  expect(typesOf(first).slice(-2)).toEqual(["MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  const interruptId = interruptsOf(front)[0]?.id ?? "";
  const second = await front.run({
    resume: [{ interruptId, status: "resolved", payload: { approved: true } }],
  });
  expect(typesOf(second).filter((type) => type.startsWith("TOOL"))).toEqual(["TOOL_CALL_RESULT"]);
  expect(paid).toEqual([{ amount: 5 }]);
  expect(front.lastText).toBe("Done: paid 5");
  expect(front.agent.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

it("editedArgs take the arguments' place, whole", async () => {
  const world = new AgUiWorld({ agents: { payer }, script: paying as never });
  const front = world.agent("payer").say("pay");
  await front.run();
  const interruptId = interruptsOf(front)[0]?.id ?? "";
  const payload = { approved: true, editedArgs: { amount: 2 } };
  await front.run({ resume: [{ interruptId, status: "resolved", payload }] });
  expect(paid).toEqual([{ amount: 2 }]);
});

it.each([
  ["a refusal", { status: "resolved", payload: { approved: false, reason: "too much" } }],
  ["UQ2: no answer", { status: "cancelled" }],
] as const)("%s refuses the call, with a refusal as its result", async (_, answer) => {
  const world = new AgUiWorld({ agents: { payer }, script: paying as never });
  const front = world.agent("payer").say("pay");
  await front.run();
  const interruptId = interruptsOf(front)[0]?.id ?? "";
  const events = await front.run({ resume: [{ interruptId, ...answer }] });
  expect(paid).toEqual([]);
  expect(ofType(events, "TOOL_CALL_RESULT")).toHaveLength(1);
  expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toMatchObject({ type: "success" });
});

it("a question is input_required, with the choices as its schema", async () => {
  const world = new AgUiWorld({ agents: { asker }, script: askingScript("Go on?", ["yes", "no"]) });
  const front = world.agent("asker").say("go");
  await front.run();
  expect(interruptsOf(front)).toMatchObject([
    { reason: "input_required", message: "Go on?", responseSchema: { enum: ["yes", "no"] } },
  ]);
  const interruptId = interruptsOf(front)[0]?.id ?? "";
  await front.run({ resume: [{ interruptId, status: "resolved", payload: "yes" }] });
  expect(front.lastText).toBe("Final: yes");
});

it("UQ2: an abandoned question cancels the run; a new message starts another", async () => {
  const world = new AgUiWorld({ agents: { asker }, script: askingScript() });
  const front = world.agent("asker").say("go");
  await front.run();
  const resume = [{ interruptId: interruptsOf(front)[0]?.id ?? "", status: "cancelled" as const }];
  const events = await front.run({ resume });
  expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "cancelled" });
  front.say("once more");
  await front.run({ resume });
  expect(interruptsOf(front)).toHaveLength(1);
  expect(interruptsOf(front)[0]?.id).not.toBe(resume[0]?.interruptId);
});

it.each([
  [{}, undefined],
  [{ protocolVersion: "1.0" }, { type: "cancelled" }],
])("front ends with %j get the outcome %j of a cancelled run", async (version, outcome) => {
  const world = new AgUiWorld({ agents: { asker }, script: askingScript() });
  const asked = { threadId: "t", messages: [{ id: "u", role: "user", content: "go" }], ...version };
  const first = await world.events("asker", { ...asked, runId: "r1" });
  const end = ofType(first, "RUN_FINISHED")[0]?.outcome;
  const interruptId = end?.type === "interrupt" ? end.interrupts[0]?.id : "";
  const resume = [{ interruptId, status: "cancelled" }];
  const events = await world.events("asker", { ...asked, runId: "r2", resume });
  expect(ofType(events, "RUN_FINISHED").map((event) => event.outcome)).toEqual([outcome]);
});

it("UQ3: a review of an answer is a confirmation, whose question does not repeat the draft", async () => {
  const writer = new Agent({ role: "Writer", goal: "Write", backstory: "Short." });
  const reviewed = new Crew({
    name: "reviewed",
    tasks: [
      new Task({ description: "Write", expectedOutput: "A line", agent: writer, humanInput: true }),
    ],
  });
  const world = new AgUiWorld({
    crews: { reviewed },
    script: ({ messages }) => `Draft ${messages.length}`,
  });
  const front = world.agent("reviewed").say("go");
  await front.run();
  expect(interruptsOf(front)).toMatchObject([{ reason: "confirmation" }]);
  expect(front.lastText).toContain("Draft");
  expect(interruptsOf(front)[0]?.message).toMatch(/^This answer waits/);
  const again = world.agent("reviewed", { threadId: front.agent.threadId });
  await again.run();
  expect(again.lastText).toContain("Draft");
  expect(interruptsOf(again)).toEqual(interruptsOf(front));
  let interruptId = interruptsOf(front)[0]?.id ?? "";
  await front.run({
    resume: [{ interruptId, status: "resolved", payload: { feedback: "shorter" } }],
  });
  expect(interruptsOf(front)).toHaveLength(1);
  interruptId = interruptsOf(front)[0]?.id ?? "";
  const last = await front.run({
    resume: [{ interruptId, status: "resolved", payload: { approved: true } }],
  });
  expect(ofType(last, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "success" });
});

const input = { threadId: "t", messages: [{ id: "u", role: "user", content: "pay" }] };

async function interrupted() {
  const world = new AgUiWorld({ agents: { payer }, script: paying as never });
  const events = await world.events("payer", { ...input, runId: "r1" });
  const { outcome } = ofType(events, "RUN_FINISHED")[0] ?? {};
  if (outcome?.type !== "interrupt") throw new Error("expected an interrupt");
  return { world, id: outcome.interrupts[0]?.id ?? "" };
}

it("UK1, UQ1: answers missing an open interrupt are RUN_ERROR, without an effect", async () => {
  const { world, id } = await interrupted();
  const send = async (resume: object[] | undefined, runId: string) => {
    const [event, ...more] = await world.events("payer", {
      ...input,
      runId,
      ...(resume && { resume }),
    });
    expect(more).toEqual([]);
    return event;
  };
  const good = { interruptId: id, status: "resolved", payload: { approved: true } };
  expect(await send(undefined, "a")).toMatchObject({ type: "RUN_ERROR", code: "interrupt_open" });
  expect(await send([{ ...good, interruptId: "int_none" }], "b")).toMatchObject({
    code: "unknown_interrupt",
  });
  expect(await send([good, { ...good, interruptId: "int_none" }], "c")).toMatchObject({
    code: "unknown_interrupt",
  });
  expect(await send([good, good], "d")).toMatchObject({ code: "invalid_resume" });
  for (const payload of [
    undefined,
    "yes",
    1,
    { approved: "yes" },
    { approved: true, editedArgs: [] },
    {},
  ])
    expect(await send([{ ...good, payload }], "e")).toMatchObject({ code: "invalid_payload" });
  expect(paid).toEqual([]);
  const ended = await world.events("payer", { ...input, runId: "f", resume: [good] });
  expect(typesOf(ended).at(-1)).toBe("RUN_FINISHED");
  expect(paid).toHaveLength(1);
});

it("UK2: a repeated resume is harmless", async () => {
  const { world, id } = await interrupted();
  const resume = [{ interruptId: id, status: "resolved", payload: { approved: true } }];
  const first = await world.events("payer", { ...input, runId: "r2", resume });
  const again = await world.events("payer", { ...input, runId: "r2", resume });
  const other = await world.events("payer", {
    ...input,
    runId: "r3",
    resume: [{ ...resume[0], payload: { approved: false } }],
  });
  expect(paid).toHaveLength(1);
  expect(typesOf(again)).toEqual(
    typesOf(first).filter(
      (type, index, all) => type !== all[index - 1] || type !== "TEXT_MESSAGE_CONTENT",
    ),
  );
  expect(ofType(other, "TOOL_CALL_RESULT")[0]?.content).toBe("paid 5");
});

it("UK2: two answers at once are one, and both requests get the rest of the run", async () => {
  const { world, id } = await interrupted();
  const send = (runId: string, approved: boolean) =>
    world.events("payer", {
      ...input,
      runId,
      resume: [{ interruptId: id, status: "resolved", payload: { approved } }],
    });
  const streams = await Promise.all([
    send("a", true),
    send("b", true),
    send("b", true),
    send("c", true),
  ]);
  for (const events of streams) {
    expect(ofType(events, "TOOL_CALL_RESULT").map(({ content }) => content)).toEqual(["paid 5"]);
    expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  }
  expect(paid).toHaveLength(1);
});

it("UK1: an expired interrupt cannot be answered, only cancelled", async () => {
  const slow = tool({
    name: "ask",
    description: "Ask.",
    input: z.object({}),
    run: (_, context) =>
      context.wait("answer", {
        kind: "human",
        prompt: "Well?",
        dueAtMs: Date.UTC(2026, 0, 1, 0, 1),
      }),
  });
  const waiter = new Agent({ role: "Waiter", goal: "Wait", backstory: "Calm.", tools: [slow] });
  const world = new AgUiWorld({
    agents: { waiter },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? `So: ${messages.at(-1)?.content}`
        : { toolCalls: [{ name: "ask", arguments: {} }] },
  });
  const events = await world.events("waiter", { ...input, runId: "r1" });
  const { outcome } = ofType(events, "RUN_FINISHED")[0] ?? {};
  if (outcome?.type !== "interrupt") throw new Error("expected an interrupt");
  const [{ id, expiresAt } = { id: "", expiresAt: "" }] = outcome.interrupts;
  expect(expiresAt).toBe("2026-01-01T00:01:00.000Z");
  await world.clock.advance(120_000);
  const late = await world.events("waiter", {
    ...input,
    runId: "r2",
    resume: [{ interruptId: id, status: "resolved", payload: "hi" }],
  });
  expect(late).toMatchObject([{ type: "RUN_ERROR", code: "interrupt_expired" }]);
  const cancelled = await world.events("waiter", {
    ...input,
    runId: "r3",
    resume: [{ interruptId: id, status: "cancelled" }],
  });
  expect(typesOf(cancelled)[0]).toBe("RUN_STARTED");
  expect(typesOf(cancelled).at(-1)).toBe("RUN_FINISHED");
});
