import { describe, expect, it } from "vitest";
import * as z from "zod";
import { persist } from "../../../../src/flow/decorators.ts";
import { builtFlow } from "../../../../src/flow/flow-like.ts";
import {
  conversational,
  conversationalFromDefinition,
  conversationState,
  Flow,
  listen,
  start,
  type ConversationConfig,
} from "../../../../src/flow/index.ts";
import { talkOf, turnOf } from "../../../support/talks.ts";

describe("opting in", () => {
  it("is a class decorator, inherited by subclasses", async () => {
    @conversational({ systemPrompt: "x" })
    class Help extends Flow() {}
    class More extends Help {
      @listen("x") handle() {
        return 1;
      }
    }
    for (const candidate of [Help, More, new Help()])
      expect(builtFlow(candidate, "f").definition.conversational).toBe(true);
    expect((await turnOf(new More(), "hi")).route).toBe("converse");
  });

  it("is a field of the class", () => {
    class Help extends Flow() {
      override readonly conversational = conversational();
    }
    expect(new Help().flow.conversation).toBeDefined();
  });

  it("rejects any other value for `conversational`", () => {
    class Help extends Flow() {
      override readonly conversational = true as never;
    }
    expect(() => new Help().flow).toThrow(
      /"Help": conversational must be the result of conversational\(/,
    );
  });

  it("adds the missing built-in methods, the routing method last", () => {
    const talk = talkOf(
      {},
      {
        converseTurn: { listen: "converse", description: "own", run: () => 1 },
        go: { start: true, run: () => 1 },
      },
    );
    expect(Object.entries(talk.definition.methods)).toEqual([
      ["converseTurn", { listen: "converse", description: "own" }],
      ["go", { start: true }],
      ["endConversation", { listen: "end" }],
      ["answerFromHistoryTurn", { listen: "answer_from_history" }],
      ["routeConversation", { start: true, router: true }],
    ]);
  });

  it("replaces persistence by the session", async () => {
    @persist()
    @conversational()
    class Help extends Flow() {}
    const talk = new Help();
    expect(talk.flow.definition.persist).toBeUndefined();
    await turnOf(talk, "a");
    expect((await turnOf(talk, "b")).turn).toBe(2);
  });
});

describe("the block of a definition", () => {
  it("is read in CrewAI's spelling, models and all", async () => {
    const block = {
      system_prompt: "",
      llm: { model: "offline/demo" },
      default_intents: null,
      defer_trace_finalization: true,
      router: {
        llm: "offline/demo",
        route_descriptions: { money_back: "refunds" },
        response_format: { type: "object", properties: { my_route: { type: "string" } } },
        intent_field: "my_route",
        fallback_intent: "converse",
      },
      visible_agent_outputs: "all",
    };
    expect(conversationalFromDefinition(block)?.config).toEqual({
      systemPrompt: "",
      llm: { model: "offline/demo" },
      router: {
        llm: "offline/demo",
        routeDescriptions: { money_back: "refunds" },
        responseFormat: { type: "object", properties: { my_route: { type: "string" } } },
        intentField: "my_route",
        fallbackIntent: "converse",
      },
      visibleAgentOutputs: "all",
    });
  });

  it("may be true, false, or not there", () => {
    expect(conversationalFromDefinition(true)?.config).toEqual({});
    for (const none of [false, null, undefined])
      expect(conversationalFromDefinition(none)).toBeUndefined();
    expect(() => conversationalFromDefinition("yes")).toThrow(/must be an object, got "yes"/);
    expect(() => conversationalFromDefinition({ router: 7 })).toThrow(/router must be an object/);
    expect(() => conversationalFromDefinition({ sys_prompt: "" })).toThrow(/no field "sysPrompt"/);
  });
});

describe("the state", () => {
  it("defaults to the state of a conversation, and takes further fields", async () => {
    const talk = talkOf(
      {},
      { note: { start: true, run: ({ state }) => void (state["note"] = "x") } },
    );
    expect((await turnOf(talk, "a")).state).toMatchObject({ note: "x", ended: false });
  });

  it("may extend it", async () => {
    class Help extends Flow(conversationState.extend({ topic: z.string().default("tea") })) {
      override readonly conversational = conversational();

      @start() note() {
        this.state.topic = this.state.messages.at(-1)?.content ?? "";
      }
    }
    expect((await turnOf(new Help(), "cups")).state).toMatchObject({ topic: "cups" });
  });

  it("must not be strict", () => {
    class Help extends Flow(z.strictObject({ topic: z.string() })) {
      override readonly conversational = conversational();
    }
    expect(() => new Help().flow).toThrow(/its schema must not be strict/);
  });
});

describe("a route and its handler", () => {
  it("share one namespace, which the error explains", () => {
    const refund = { refund: { listen: "refund", run: () => 1 } };
    expect(() => talkOf({}, refund)).toThrow(
      /method refund listens to itself: .* the routes of a conversation are such labels/,
    );
  });
});

describe("a configuration", () => {
  it.each<[string, unknown, RegExp]>([
    ["no object", 7, /conversational must be an object, got 7/],
    [
      "another field",
      { sytemPrompt: "" },
      /has no field "sytemPrompt"; expected one of: systemPrompt/,
    ],
    ["another field of the router", { router: { route: [] } }, /router has no field "route"/],
    ["no prompt", { systemPrompt: 7 }, /conversational.systemPrompt must be a text, got 7/],
    ["no intents", { defaultIntents: [] }, /defaultIntents must be a list of texts/],
    [
      "no agents",
      { visibleAgentOutputs: "some" },
      /visibleAgentOutputs must be .*"all", got "some"/,
    ],
    ["no model", { llm: "" }, /conversational.llm must be a model, got ""/],
    ["no model of the router", { router: { llm: null } }, /router.llm must be a model/],
    ["no routes", { router: { routes: [""] } }, /router.routes must be/],
    [
      "no default",
      { router: { defaultIntent: "" } },
      /defaultIntent must be a text that is not empty/,
    ],
    [
      "no descriptions",
      { router: { routeDescriptions: { a: 1 } } },
      /routeDescriptions must be texts/,
    ],
    ["too few messages", { maxMessages: 1 }, /maxMessages must be an integer >= 2, got 1/],
    ["too short", { maxLength: 10 }, /maxLength must be an integer >= 1000/],
    ["no function", { routeTurn: "x" }, /routeTurn must be a function/],
  ])("is refused with %s", (_, config, message) => {
    expect(() => conversational(config as ConversationConfig)).toThrow(message);
  });
});
