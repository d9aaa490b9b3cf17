// A turn that is cut off at any moment ends as if it never was.
import { describe, expect, it } from "vitest";
import { InMemoryFlowStore } from "../../../../src/flow/flow-store.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { cutAfterEveryWrite, type Course, type Subject } from "../../../support/cut-off.ts";
import { talkOf } from "../../../support/talks.ts";

const stores: InMemoryFlowStore[] = [];

/** Without the time at which a person answered. */
function timeless({ events, ...course }: Course): Course {
  return {
    ...course,
    events: events.map((event) => event.replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":0')),
  };
}

/** A turn with everything in it: intents, a router, a person, an agent's result, a reply. */
function subject(): Subject {
  const calls: string[] = [];
  const store = new InMemoryFlowStore();
  stores.push(store);
  const replies = (name: string, reply: string) =>
    scriptedModel(() => {
      calls.push(name);
      return reply;
    });
  const talk = talkOf(
    {
      llm: replies("reply", "the answer"),
      router: { llm: replies("router", '{"intent":"review"}') },
      defaultIntents: ["review"],
      intentLlm: replies("intent", '{"intent":"review"}'),
    },
    {
      before: {
        start: true,
        run: ({ state }) => void (state["seen"] = Number(state["seen"] ?? 0) + 1),
      },
      begin: { listen: "review", router: true, emit: ["check"], run: () => "check" },
      draft: {
        listen: "check",
        humanFeedback: { message: "Good?", emit: ["converse", "end"] },
        run: ({ conversation }) => {
          conversation.appendAgentResult("Digger", { raw: "gold" });
          return "draft";
        },
      },
    },
  );
  const entry = talk.conversation?.entry({ sessionId: "s", message: "hi" });
  return {
    program: talk.program(entry),
    services: { flowStates: store },
    answer: () => ({ feedback: "converse" }),
    calls,
  };
}

describe("an interrupted turn", () => {
  it("TU1: ends the same at whatever moment the process dies, and stores the session once", async () => {
    const { whole, cut } = await cutAfterEveryWrite(subject);
    expect(whole.run.output).toMatchObject({ reply: "the answer", turn: 1, state: { seen: 1 } });
    expect(whole.course.calls).toEqual(["intent", "reply", "router"]);
    expect(cut.length).toBeGreaterThan(20);
    for (const each of cut) expect(timeless(each.course)).toEqual(timeless(whole.course));
    for (const store of stores) {
      expect(await store.history("help/sessions", "s", { limit: 10 })).toHaveLength(1);
      const [claim, ...more] = await store.history("help/turns", "s", { limit: 10 });
      expect([claim?.method, more]).toEqual(["closed", []]);
      const kept = await store.loadState("help/sessions", "s");
      expect(kept?.state).toMatchObject({ turn: 1, state: { seen: 1, sessionReady: true } });
    }
  });

  it("TU2: fails the same, and leaves the session free and as it was", async () => {
    const kept: InMemoryFlowStore[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const store = new InMemoryFlowStore();
      kept.push(store);
      const talk = talkOf(
        { routeTurn: () => "go" },
        {
          fails: {
            listen: "go",
            run: async ({ step }) => {
              await step("look", async () => 1);
              throw new Error("no luck");
            },
          },
        },
      );
      return {
        program: talk.program(talk.conversation?.entry({ sessionId: "s", message: "hi" })),
        services: { flowStates: store },
      };
    });
    expect(whole.course.error?.message).toBe('method "fails" of flow "help": no luck');
    for (const each of cut) expect(each.course).toEqual(whole.course);
    for (const store of kept) {
      expect(await store.loadState("help/sessions", "s")).toBeUndefined();
      expect(
        (await store.history("help/turns", "s", { limit: 9 })).map(({ method }) => method),
      ).toEqual(["closed"]);
    }
  });
});
