// Events of a tool's own code.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { onEvent } from "../../../src/events/listener.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { progressEvent } from "../../../src/access/progress-view.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, keysOf, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";

type Custom = Extract<RunEvent, { type: "custom_event_emitted" }>;

function crewWith(run: (context: ToolContext) => unknown, more: object = {}) {
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    run: async (_, context) => run(context),
  });
  const { agent, model } = scriptedAgent(
    // By the conversation, so that a call that is made again gets the same answer.
    ({ messages }) => (messages.some(({ role }) => role === "tool") ? "done" : calling("look")),
    { tools: [look] },
  );
  return { crew: new Crew({ tasks: [taskFor(agent, { name: "work" })], ...more }), model };
}

async function eventsOf({ crew }: ReturnType<typeof crewWith>): Promise<readonly RunEvent[]> {
  const handle = crew.start();
  await handle.output();
  const events: RunEvent[] = [];
  for await (const event of handle.events()) if ("seq" in event) events.push(event);
  return events;
}

const custom = (events: readonly RunEvent[]): readonly Custom[] =>
  events.filter((event): event is Custom => event.type === "custom_event_emitted");

describe("emit of a tool's context", () => {
  it("stores a name and data between the start and the end of the call", async () => {
    const events = await eventsOf(
      crewWith(({ emit }) => {
        emit("progress", { done: 1, of: 2 });
        emit("progress", { done: 2, of: 2 });
        emit("ready");
        return "seen";
      }),
    );
    const types = events.map(({ type }) => type);
    const at = types.indexOf("custom_event_emitted");
    expect(types.slice(at - 1, at + 4)).toEqual([
      "tool_usage_started",
      "custom_event_emitted",
      "custom_event_emitted",
      "custom_event_emitted",
      "tool_usage_finished",
    ]);
    const [first, second, third] = custom(events);
    expect(first).toMatchObject({
      name: "progress",
      data: { done: 1, of: 2 },
      toolName: "look",
      taskName: "work",
      parentId: events[at - 1]?.id,
    });
    expect(first?.id).toMatch(/tool:look#0\/event:progress:custom_event_emitted$/);
    expect(second?.id).toMatch(/event:progress~2:custom_event_emitted$/);
    expect(third).not.toHaveProperty("data");
  });

  it("reaches listeners, and shows front ends the name without the data", async () => {
    const heard: unknown[] = [];
    const listeners = [
      onEvent("custom_event_emitted", ({ name, data }) => void heard.push([name, data])),
    ];
    const events = await eventsOf(
      crewWith(({ emit }) => emit("sent", { to: "ann" }), { listeners }),
    );
    expect(heard).toEqual([["sent", { to: "ann" }]]);
    const [event] = custom(events);
    const shown = progressEvent(event as never, { mayAnswer: false });
    expect(shown).toMatchObject({ type: "custom_event_emitted", name: "sent", toolName: "look" });
    expect(shown).not.toHaveProperty("data");
  });

  it.each<readonly [string, (context: ToolContext) => void, string]>([
    ["an empty name", ({ emit }) => emit(""), "an event's name has 1 to 128 letters"],
    ["a name with spaces", ({ emit }) => emit("my event"), 'got "my event"'],
    [
      "data without a JSON form",
      ({ emit }) => emit("a", { when: () => 0 }),
      'the data of event "a"',
    ],
    [
      "too much data",
      ({ emit }) => emit("a", "x".repeat(65_536)),
      'event "a": its data has 65538 characters of JSON, at most 65536 are allowed',
    ],
    [
      "too many events",
      ({ emit }) => {
        for (let count = 0; count <= 1000; count++) emit("a");
      },
      'tool "look" emits more than 1000 events in one call',
    ],
  ])("TEV2: refuses %s", async (_, run, message) => {
    const events = await eventsOf(crewWith(run));
    const failed = events.find(({ type }) => type === "tool_usage_error");
    expect(failed).toMatchObject({ error: expect.stringContaining(message) });
    expect(custom(events).length).toBeLessThanOrEqual(1000);
  });

  it("TEV3: emits nothing after the end of the call", async () => {
    let late: (() => void) | undefined;
    const events = await eventsOf(
      crewWith(
        ({ emit }) => {
          late = () => emit("late");
          return "seen";
        },
        { hooks: [], taskCallback: () => late?.() },
      ),
    );
    expect(late).toBeDefined();
    expect(custom(events)).toEqual([]);
  });

  it("TEV1: stores each event once, wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite((): Subject => {
      const { crew, model } = crewWith(async ({ emit, step, sleep }) => {
        emit("progress", 1);
        await step("pay", async () => {
          emit("progress", 2);
          emit("paid");
          return "ok";
        });
        emit("progress", 3);
        await sleep("settled", 1000);
        emit("progress", 4);
        return "seen";
      });
      return {
        program: crew.program(),
        get calls() {
          return keysOf(model);
        },
      };
    });
    expect(whole.run.status).toBe("completed");
    expect(custom(whole.events).map(({ name, data }) => [name, data])).toEqual([
      ["progress", 1],
      ["progress", 2],
      ["paid", undefined],
      ["progress", 3],
      ["progress", 4],
    ]);
    expect(cut.length).toBeGreaterThan(5);
    for (const [index, each] of cut.entries())
      expect(each.course, `cut off after write ${index + 1}`).toEqual(whole.course);
  });

  it("stops a conversation that is stepped through at the events of a name", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: (_, { emit }) => {
        emit("seen.cat", { legs: 4 });
        emit("seen.dog");
        return "a cat";
      },
    });
    const ana = new ConversableAgent({
      name: "ana",
      tools: [look],
      humanInputMode: "NEVER",
      llm: scriptedAgent([calling("look"), "A cat. TERMINATE"]).model,
    });
    const seen: unknown[] = [];
    for await (const { type, content } of ana.runIter({
      message: "What is there?",
      yieldOn: ["custom:seen.cat"],
    }))
      seen.push([type, content]);
    expect(seen).toEqual([
      [
        "custom",
        expect.objectContaining({
          name: "seen.cat",
          data: { legs: 4 },
          func_name: "look",
        }) as object,
      ],
    ]);
  });
});
