import { expect, it } from "vitest";
import { refuseWarnings } from "../../../support/console-warnings.ts";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { AgUiWorld, ofType, typesOf } from "../../../support/ag-ui-world.ts";

refuseWarnings();

const add = tool({
  name: "add",
  description: "Add.",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String(a + b),
});
const adder = new Agent({ role: "Adder", goal: "Add", backstory: "Quick.", tools: [add] });

it("UC1, UW3: an agent's answer is a message between closed steps, with usage", async () => {
  const world = new AgUiWorld({
    script: () => ({ text: "Hello there, friend", thinking: "Hm, hm" }),
  });
  const front = world.agent("writer").say("Hi");
  const events = await front.run();
  expect(typesOf(events)).toEqual([
    "RUN_STARTED",
    "STEP_STARTED",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "STEP_FINISHED",
    "RUN_FINISHED",
  ]);
  expect(front.lastText).toBe("Hello there, friend");
  const [finished] = ofType(events, "RUN_FINISHED");
  expect(finished).toMatchObject({ outcome: { type: "success" }, result: "Hello there, friend" });
  expect(finished?.usage?.[0]).toMatchObject({ provider: "scripted", model: "model" });
});

it("UC4: a tool run by the agent is start, arguments, end, then its result", async () => {
  const world = new AgUiWorld({
    agents: { adder },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? `It is ${messages.at(-1)?.content}`
        : { text: "Let me see", toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
  });
  const front = world.agent("adder").say("1 + 2?");
  const events = await front.run();
  const calls = typesOf(events).filter((type) => type.startsWith("TOOL"));
  expect(calls).toEqual(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]);
  expect(front.agent.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(front.agent.messages[1]).toMatchObject({
    content: "Let me see",
    toolCalls: [{ function: { name: "add", arguments: '{"a":1,"b":2}' } }],
  });
  expect(front.lastText).toBe("It is 3");
});

it("events of a tool's own are CUSTOM, in their place, once also over a wait", async () => {
  const asking = tool({
    name: "book",
    description: "Book.",
    input: z.object({}),
    run: async (_, { emit, wait }) => {
      emit("seats_found", { seats: [4, 5] });
      emit("nothing");
      const answer = await wait("which", { kind: "human", prompt: "Which seat?" });
      emit("seat_taken", { answer });
      return "booked";
    },
  });
  const clerk = new Agent({ role: "Clerk", goal: "Book", backstory: "Calm.", tools: [asking] });
  const world = new AgUiWorld({
    agents: { clerk },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done" : { toolCalls: [{ name: "book", arguments: {} }] },
  });
  const front = world.agent("clerk").say("Book");
  const custom: unknown[] = [];
  front.agent.subscribe({
    onCustomEvent: ({ event: { name, value } }) => void custom.push([name, value]),
  });
  const first = await front.run();
  expect(custom).toEqual([
    ["seats_found", { seats: [4, 5] }],
    ["nothing", null],
  ]);
  const [end] = ofType(first, "RUN_FINISHED");
  const { interrupts = [] } = (end?.outcome ?? {}) as unknown as {
    readonly interrupts?: readonly { readonly id: string }[];
  };
  const second = await front.run({
    resume: [{ interruptId: interrupts[0]?.id ?? "", status: "resolved", payload: "four" }],
  });
  expect(custom.slice(2).map((each) => (each as [string])[0])).toEqual(["seat_taken"]);
  const types = typesOf(second);
  expect(types.indexOf("CUSTOM")).toBeLessThan(types.indexOf("TOOL_CALL_RESULT"));
});

it("shows the steps of a crew's tasks and agents", async () => {
  const world = new AgUiWorld();
  const front = world.agent("briefing", { state: { topic: "tea" } }).say("tea");
  const events = await front.run();
  expect(ofType(events, "STEP_STARTED").map(({ stepName }) => stepName)).toEqual([
    "task:research",
    "agent:Researcher",
    "task:report",
    "agent:Writer",
  ]);
  expect(front.lastText).toBe("A fine answer");
});

it("UC1: a failed run is RUN_ERROR, with all messages and steps closed", async () => {
  const world = new AgUiWorld({
    script: () => ({ error: Object.assign(new Error("no"), {}) as never }),
  });
  const events = await world.events("writer", {
    threadId: "t",
    runId: "r",
    messages: [{ id: "1", role: "user", content: "Hi" }],
  });
  expect(typesOf(events).at(-1)).toBe("RUN_ERROR");
  expect(ofType(events, "STEP_STARTED").length).toBe(ofType(events, "STEP_FINISHED").length);
});

const counting = defineFlow({
  name: "counting",
  state: z.object({ n: z.number().default(0), list: z.array(z.string()).default([]) }),
  methods: {
    first: { start: true, run: ({ state }) => void (state.n += 1) },
    second: { listen: "first", run: ({ state }) => void state.list.push("a") },
  },
});

it("UX1: a flow's state is a snapshot, then patches", async () => {
  const world = new AgUiWorld({
    flows: { counting },
    expose: { "flow/counting": { input: "text" } },
  });
  const front = world.agent("counting").say("go");
  const events = await front.run();
  expect(ofType(events, "STATE_SNAPSHOT").map(({ snapshot }) => snapshot)).toEqual([
    { n: 0, list: [] },
  ]);
  expect(ofType(events, "STATE_DELTA").flatMap(({ delta }) => delta)).toEqual([
    { op: "replace", path: "/n", value: 1 },
    { op: "add", path: "/list/-", value: "a" },
  ]);
  expect(front.agent.state).toEqual({ n: 1, list: ["a"] });
  front.say("again");
  await front.run();
  expect(front.agent.state).toEqual({ n: 2, list: ["a", "a"] });
});

it("UC5: a coworker inside a tool call is a subagent", async () => {
  const boss = new Agent({ role: "Boss", goal: "Lead", backstory: "Calm.", allowDelegation: true });
  const clerk = new Agent({ role: "Clerk", goal: "File", backstory: "Neat." });
  const office = new Crew({
    name: "office",
    agents: [boss, clerk],
    tasks: [
      new Task({
        name: "lead",
        description: "Lead {topic}",
        expectedOutput: "A line",
        agent: boss,
      }),
    ],
  });
  const world = new AgUiWorld({
    crews: { office },
    script: ({ messages, tools }) => {
      if (!(tools ?? []).some(({ name }) => name.startsWith("delegate"))) return "Filed";
      if (messages.at(-1)?.role === "tool") return `Clerk says: ${messages.at(-1)?.content}`;
      return {
        toolCalls: [
          {
            name: "delegate_work_to_coworker",
            arguments: { task: "File it", context: "now", coworker: "Clerk" },
          },
        ],
      };
    },
  });
  const front = world.agent("office").say("papers");
  const events = await front.run();
  const [started] = ofType(events, "SUBAGENT_STARTED");
  const [call] = ofType(events, "TOOL_CALL_START");
  expect(started).toMatchObject({ name: "Clerk", parentToolCallId: call?.toolCallId });
  expect(ofType(events, "SUBAGENT_FINISHED")).toMatchObject([{ outcome: { type: "success" } }]);
  const filed = front.agent.messages.find(
    ({ role, content }) => role === "assistant" && content === "Filed",
  );
  expect(filed).toMatchObject({ subagentRunId: started?.subagentRunId });
  expect(front.lastText).toContain("Clerk says");
});
