// What front ends may do beside talking: limits, conversations, several questions at once.
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { conversational } from "../../../../src/flow/index.ts";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { agUi } from "../../../../src/entry/ag-ui.ts";
import { AgUiWorld, ofType, typesOf } from "../../../support/ag-ui-world.ts";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import { HttpWorld } from "../../../support/http-app.ts";

refuseWarnings();

const input = { threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: "Hi" }] };
const paid: string[] = [];
const pay = tool({
  name: "pay",
  description: "Pay.",
  input: z.object({ whom: z.string() }),
  needsApproval: true,
  run: ({ whom }) => {
    paid.push(whom);
    return `paid ${whom}`;
  },
});

it("UW2: an agent without streaming sends its text as one message", async () => {
  const quiet = new Agent({ role: "Quiet", goal: "Talk", backstory: "Calm.", stream: false });
  const world = new AgUiWorld({ agents: { quiet }, script: () => "All at once" });
  const events = await world.events("quiet", input);
  expect(ofType(events, "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta)).toEqual(["All at once"]);
});

it("UQ1: several interrupts are answered at once, each with its own answer", async () => {
  const payer = new Agent({ role: "Payer", goal: "Pay", backstory: "Careful.", tools: [pay] });
  const world = new AgUiWorld({
    agents: { payer },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? "Done"
        : {
            toolCalls: ["Ann", "Bob", "Cid"].map((whom) => ({ name: "pay", arguments: { whom } })),
          },
  });
  const front = world.agent("payer").say("pay");
  await front.run();
  const asked = front.agent.pendingInterrupts;
  expect(new Set(asked.map(({ toolCallId }) => toolCallId)).size).toBe(3);
  const some = asked
    .slice(1)
    .map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
  const resume = { ...input, threadId: front.agent.threadId, resume: some };
  expect(await world.events("payer", { ...resume, runId: "some" })).toMatchObject([
    { code: "interrupt_unanswered" },
  ]);
  expect(paid).toEqual([]);
  const events = await front.run({
    resume: asked.map(({ id, metadata }) => ({
      interruptId: id,
      status: "resolved" as const,
      payload: { approved: JSON.stringify(metadata).includes("Bob") },
    })),
  });
  expect(paid).toEqual(["Bob"]);
  expect(ofType(events, "TOOL_CALL_RESULT")).toHaveLength(3);
  expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  const [request = ""] = front.requests.slice(-1);
  const again = await world.events("payer", JSON.parse(request) as object);
  expect(ofType(again, "TOOL_CALL_RESULT")).toHaveLength(3);
  expect(paid).toEqual(["Bob"]);
});

it("callers beyond their limit get 429, and a repeated request counts once", async () => {
  const world = new HttpWorld({ parts: [agUi({ expose: "all", limits: { perMinute: 2 } })] });
  const send = (runId: string) => world.request("/ag-ui/writer", { json: { ...input, runId } });
  const statuses = [];
  for (const runId of ["a", "a", "b", "c"]) {
    const response = await send(runId);
    statuses.push(response.status);
    await response.text();
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

it("a conversational flow has the thread as its session, and keeps its conversation out of the shared state", async () => {
  const talk = defineFlow({
    name: "talk",
    state: z.object({ mood: z.string().default("calm") }),
    conversational: conversational({ llm: "scripted/model" }),
    methods: {},
  });
  const world = new AgUiWorld({
    flows: { talk },
    script: ({ messages }) =>
      `You said ${messages.filter(({ role }) => role === "user").length} things`,
  });
  const front = world.agent("talk").say("Hello");
  await front.run();
  expect(front.lastText).toBe("You said 1 things");
  front.say("And now?");
  await front.run();
  expect(front.lastText).toBe("You said 2 things");
  expect(front.agent.state).toEqual({ mood: "calm" });
  // A page that brings back another conversation as state changes nothing.
  front.agent.state = { mood: "sad", messages: [{ role: "user", content: "forged" }], id: "other" };
  front.say("Third");
  await front.run();
  expect(front.lastText).toBe("You said 3 things");
});

it("showState selects the state for front ends", async () => {
  const secret = defineFlow({
    name: "secret",
    state: z.object({ open: z.number().default(0), hidden: z.string().default("x") }),
    methods: { work: { start: true, run: ({ state }) => void (state.open += 1) } },
  });
  const world = new AgUiWorld({
    flows: { secret },
    showState: ({ open }, { name }) => ({ open: open ?? null, name }),
  });
  const events = await world.events("secret", input);
  expect(JSON.stringify(events)).not.toContain("hidden");
  expect(ofType(events, "STATE_SNAPSHOT")[0]?.snapshot).toEqual({ open: 0, name: "secret" });
});

it("the run has the request's ids, and the front end's forwarded props", async () => {
  const world = new AgUiWorld();
  await world.events("writer", { ...input, parentRunId: "p", forwardedProps: { theme: "dark" } });
  const { items } = await world.runs.list({ tenant: "default", limit: 1 });
  const run = await world.runs.get("default", items[0]?.id ?? "");
  expect(run.meta).toEqual({ agUi: { threadId: "t", runId: "r", parentRunId: "p" } });
  const [started] = await world.events("writer", {
    ...input,
    parentRunId: "p",
    forwardedProps: { theme: "dark" },
  });
  expect(started).toMatchObject({ type: "RUN_STARTED", parentRunId: "p", protocolVersion: "1.0" });
});

it("a run cancelled by an operator ends as cancelled", async () => {
  const asker = new Agent({ role: "Payer", goal: "Pay", backstory: "Careful.", tools: [pay] });
  const world = new AgUiWorld({
    agents: { asker },
    script: () => ({ toolCalls: [{ name: "pay", arguments: { whom: "Dan" } }] }),
  });
  const front = world.agent("asker").say("pay");
  await front.run();
  const { items } = await world.runs.list({ tenant: "default", limit: 1 });
  await world.runs.cancel("default", items[0]?.id ?? "");
  const [{ id } = { id: "" }] = front.agent.pendingInterrupts;
  const events = await front.run({
    resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }],
  });
  expect(ofType(events, "RUN_FINISHED")[0]?.outcome).toEqual({ type: "cancelled" });
});

const helper = new Agent({ role: "Helper", goal: "Help", backstory: "Kind." });
const asks = defineFlow({
  name: "asks",
  state: z.object({ message: z.string() }),
  methods: {
    ask: { start: true, run: async ({ state }) => (await helper.kickoff(state.message)).raw },
  },
});

it.each(["writer", "briefing", "asks"])(
  "UY1: every agent of %s knows the application's instructions and context",
  async (name) => {
    const world = new AgUiWorld({ flows: { asks } });
    const events = await world.events(name, {
      ...input,
      messages: [{ id: "s", role: "system", content: "Speak like a pirate" }, ...input.messages],
      context: [{ description: "Page", value: "/checkout" }],
      state: { topic: "tea" },
    });
    expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
    expect(world.model.calls.length).toBeGreaterThan(0);
    for (const { request } of world.model.calls) {
      const told = request.messages
        .filter(({ role }) => role === "system")
        .map(({ content }) => content);
      expect(told.filter((text) => text === "Speak like a pirate")).toHaveLength(1);
      expect(told.filter((text) => text.includes("/checkout"))).toHaveLength(1);
    }
  },
);
