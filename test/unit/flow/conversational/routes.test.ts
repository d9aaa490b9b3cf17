import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../../src/base/error.ts";
import {
  conversational,
  Flow,
  listen,
  start,
  type ConversationConfig,
} from "../../../../src/flow/index.ts";
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { talkOf, turnOf, type Talk } from "../../../support/talks.ts";

const failure = () => ({ error: new EngineError("model_rejected", "no") });
const saying = (...replies: readonly ScriptedReply[]) => scriptedModel(replies);
const label = (intent: string) => JSON.stringify({ intent });

/** Two routes of its own. */
function shop(config: ConversationConfig): Talk {
  return talkOf(config, {
    refunds: { listen: "refund", description: "money back", run: () => "refunded" },
    orders: { listen: "order", run: () => "ordered" },
  });
}

/** Returns the prompt of a model's call. */
function promptOf(model: ScriptedModel, call = 0): string {
  return (model.calls[call]?.request.messages ?? []).map(({ content }) => content).join("\n");
}

describe("the route of a turn", () => {
  it("RT1: comes from the user's code before anything else", async () => {
    const llm = saying("yes");
    const talk = talkOf(
      {
        routeTurn: ({ message }) => (message === "refund me" ? "refund" : null),
        router: { llm },
        defaultIntents: ["order"],
        intentLlm: saying(label("order"), label("order")),
      },
      {
        refunds: { listen: "refund", run: () => "refunded" },
        orders: { listen: "order", run: () => "ordered" },
      },
    );
    expect(await turnOf(talk, "refund me")).toMatchObject({ route: "refund", reply: "refunded" });
    // Null leaves it to the rules after the router's, which the code stands in for.
    expect(await turnOf(talk, "anything")).toMatchObject({ route: "order", reply: "ordered" });
    expect(llm.calls).toHaveLength(0);
  });

  it("may be left to the configured router by the user's code", async () => {
    const llm = saying(label("order"));
    const talk = shop({ llm, routeTurn: (turn) => turn.route() });
    expect(await turnOf(talk, "a tea")).toMatchObject({ route: "order" });
  });

  it("is refused when the user's code returns no string", async () => {
    const talk = shop({ routeTurn: (() => 7) as never });
    await expect(turnOf(talk, "hi")).rejects.toThrow(/routeTurn must return a route .* got 7/);
  });

  it("is the method routeTurn of a class, and its built-in methods can be its own", async () => {
    @conversational()
    class Own extends Flow() {
      routeTurn() {
        return this.conversation.message === "bye" ? "end" : undefined;
      }

      converseTurn() {
        return `you said ${this.conversation.message}`;
      }
    }
    const talk = new Own();
    expect(await turnOf(talk, "hi")).toMatchObject({ route: "converse", reply: "you said hi" });
    expect(await turnOf(talk, "bye")).toMatchObject({ route: "end", ended: true, reply: null });
  });

  it("comes from the router before the intent of the turn", async () => {
    const talk = shop({
      router: { llm: saying(label("refund")) },
      defaultIntents: ["order"],
      intentLlm: saying(label("order")),
    });
    expect(await turnOf(talk, "hm")).toMatchObject({ route: "refund", reply: "refunded" });
  });

  it("is the intent of this turn when there is no router", async () => {
    const intentLlm = saying(label("refund"), label("order"));
    const talk = shop({ defaultIntents: ["refund", "order"], intentLlm });
    expect((await turnOf(talk, "money!")).route).toBe("refund");
    expect((await turnOf(talk, "tea!")).route).toBe("order");
    expect(promptOf(intentLlm)).toContain("- refund: money back\n- order\n");
  });

  it("never is the intent of the turn before", async () => {
    const intentLlm = saying(label("refund"), "I cannot tell", failure());
    const talk = shop({
      defaultIntents: ["refund"],
      intentLlm,
      llm: saying("one", "two", "three"),
    });
    const turns = [await turnOf(talk, "a"), await turnOf(talk, "b"), await turnOf(talk, "c")];
    expect(turns.map(({ route }) => route)).toEqual(["refund", "converse", "converse"]);
    expect(
      turns.map(({ published: events }) => events.find((each) => each.startsWith("route"))),
    ).toEqual([
      "route refund after nothing",
      "route converse after refund",
      "route converse after converse",
    ]);
  });

  it("is the answer from history only with its model, a history, and the model's yes", async () => {
    const answerFromHistoryLlm = saying('{"answerable":"no"}', '{"answerable":"yes"}', "as I said");
    const talk = talkOf({ answerFromHistoryLlm, llm: saying("one", "two") });
    expect((await turnOf(talk, "a")).route).toBe("converse");
    expect(answerFromHistoryLlm.calls).toHaveLength(0);
    expect((await turnOf(talk, "b")).route).toBe("converse");
    expect(await turnOf(talk, "c")).toMatchObject({
      route: "answer_from_history",
      reply: "as I said",
    });
    expect(promptOf(answerFromHistoryLlm, 1)).toContain("user: a\nassistant: one\nuser: b");
  });

  it("is converse when the model for answers from history fails", async () => {
    const talk = talkOf({ answerFromHistoryLlm: saying(failure()), llm: saying("one", "two") });
    await turnOf(talk, "a");
    expect(await turnOf(talk, "b")).toMatchObject({ route: "converse", reply: "two" });
  });
});

describe("a model as the router", () => {
  it("RT2: chooses by itself when methods listen to routes of their own", async () => {
    const llm = saying(label("refund"));
    expect((await turnOf(shop({ llm }), "money!")).reply).toBe("refunded");
    expect(promptOf(llm)).toContain("- refund: money back");
    expect(promptOf(llm)).toMatch(/- converse: .+\n- end: .+/);
    expect(promptOf(llm)).not.toContain("answer_from_history");
  });

  it("is not asked by itself without such routes, or beside default intents", async () => {
    const llm = saying("hello", label("order"));
    expect(await turnOf(talkOf({ llm }), "hi")).toMatchObject({
      route: "converse",
      reply: "hello",
    });
    const intentLlm = saying(label("order"));
    const routerLlm = saying();
    const talk = shop({ llm: routerLlm, intentLlm, defaultIntents: ["order"] });
    expect((await turnOf(talk, "hi")).route).toBe("order");
    expect(routerLlm.calls).toHaveLength(0);
  });

  it("is not offered the labels of the flow's routers, nor method names", async () => {
    const llm = saying(label("refund"));
    const talk = talkOf(
      { llm },
      {
        check: { listen: "refund", router: true, emit: ["ok", "bad"], run: () => "ok" },
        pay: { listen: "ok", run: () => "paid" },
        after: { listen: "pay", run: () => null },
      },
    );
    await turnOf(talk, "money!");
    expect(promptOf(llm)).toContain("- refund\n- converse");
    expect(promptOf(llm)).not.toMatch(/- (ok|pay|check)/);
  });

  it.each<[string, ConversationConfig, string]>([
    ["router.llm", { router: { llm: saying(label("order")) }, intentLlm: saying() }, "order"],
    ["then intentLlm", { intentLlm: saying(label("order")), llm: saying() }, "order"],
    ["then llm", { llm: saying(label("order")) }, "order"],
  ])("is %s", async (_, config, route) => {
    expect((await turnOf(shop(config), "hm")).route).toBe(route);
  });

  it("RT3: is not needed: without one the route is defaultIntent", async () => {
    expect((await turnOf(shop({}), "hm")).route).toBe("converse");
    const talk = shop({ router: { defaultIntent: "order", fallbackIntent: "refund" } });
    expect((await turnOf(talk, "hm")).route).toBe("order");
  });

  it.each<[string, ScriptedReply]>([
    ["fails", failure()],
    ["names no route on offer", label("steal")],
    ["leaves the field out", '{"foo":"order"}'],
    ["says something else", "I am not sure"],
    ["gives no text", '{"intent":7}'],
  ])("RT3: leads to fallbackIntent when it %s", async (_, reply) => {
    const router = { defaultIntent: "order", fallbackIntent: "refund" };
    expect((await turnOf(shop({ llm: saying(reply), router }), "hm")).route).toBe("refund");
    const other = { ...router, fallbackIntent: "" };
    expect((await turnOf(shop({ llm: saying(reply), router: other }), "hm")).route).toBe("order");
  });

  it("receives the router's routes, descriptions, prompt, schema and field", async () => {
    const llm = saying('{"lane":"order","why":"tea"}');
    const talk = shop({
      router: {
        llm,
        prompt: "Choose a lane.",
        routes: ["order", "end"],
        routeDescriptions: { order: "buying", end: "leaving" },
        responseFormat: z.object({ lane: z.string(), why: z.string() }),
        intentField: "lane",
      },
    });
    expect((await turnOf(talk, "tea")).route).toBe("order");
    expect(promptOf(llm)).toContain("Choose a lane.");
    expect(promptOf(llm)).toContain("- order: buying\n- end: leaving");
    expect(llm.calls[0]?.request.responseSchema?.schema).toMatchObject({
      required: ["lane", "why"],
    });
  });

  it("RT4: offers converse and end beside the listed routes, and all labels when the list is empty", async () => {
    const offered = async (routes: readonly string[]): Promise<string | null> => {
      const llm = saying(label("end"));
      expect((await turnOf(shop({ router: { llm, routes } }), "bye")).route).toBe("end");
      return /(?:^- .*\n?)+/m.exec(promptOf(llm))?.[0].replaceAll(/:.*/g, "") ?? null;
    };
    expect(await offered(["refund"])).toMatch(/^- refund\n- converse\n- end\n?$/);
    expect(await offered([])).toMatch(/^- refund\n- order\n- converse\n- end\n?$/);
  });

  it("is asked again in words after the provider rejects the response schema", async () => {
    const llm = scriptedModel([failure(), "Order"], {
      capabilities: { responseSchema: false, tools: true },
    });
    expect((await turnOf(shop({ llm }), "tea")).route).toBe("order");
    expect(llm.calls[1]?.request.tools).toBeUndefined();
  });
});

describe("intents of a turn", () => {
  it("come before the default ones", async () => {
    const intentLlm = saying(label("refund"));
    const talk = shop({ defaultIntents: ["order"], llm: saying(), routeTurn: () => null });
    const turn = await turnOf(talk, "hm", { intents: ["refund"], intentLlm });
    expect(turn.route).toBe("refund");
    expect(promptOf(intentLlm)).not.toContain("- order");
  });

  it("need a model", async () => {
    expect(() => shop({}).startTurn("hi", { intents: ["refund"] })).toThrow(/intents need a model/);
    expect(() => shop({ defaultIntents: ["refund"] }).startTurn("hi")).toThrow(/need a model/);
  });

  it("are known to every method of the turn", async () => {
    const talk = talkOf(
      { defaultIntents: ["order"], intentLlm: saying(label("order")) },
      {
        see: {
          start: true,
          run: ({ conversation, state }) => void (state["saw"] = conversation.intent),
        },
        orders: { listen: "order", run: () => "ordered" },
      },
    );
    expect((await turnOf(talk, "tea")).state).toMatchObject({ saw: "order", lastIntent: "order" });
  });
});

describe("starts of a turn", () => {
  it("run one after another, each with its listeners, the routing method last", async () => {
    const order: string[] = [];
    class Ordered extends Flow() {
      override readonly conversational = conversational({});

      @start() async first() {
        await Promise.resolve();
        order.push("first");
      }

      @listen("first") async led() {
        await Promise.resolve();
        order.push("led");
      }

      @start() second() {
        order.push("second");
      }

      routeTurn() {
        order.push("route");
        return "go";
      }

      @listen("go") handle() {
        order.push("handle");
        return "done";
      }
    }
    expect((await turnOf(new Ordered(), "hi")).reply).toBe("done");
    expect(order).toEqual(["first", "led", "second", "route", "handle"]);
  });
});
