// Methods with the names that CrewAI gives to the built-in ones.
import { describe, expect, it } from "vitest";
import { flowFromDeclaration } from "../../../../src/declarative/flow-from-declaration.ts";
import { declarativeFlows } from "../../../../src/declarative/index.ts";
import { conversational, Flow, listen, router, start } from "../../../../src/flow/index.ts";
import { HttpWorld, textOf } from "../../../support/http-app.ts";
import { talkOf, turnOf } from "../../../support/talks.ts";

const YAML = `
name: Chat
conversational: true
methods:
  route_conversation:
    start: true
    router: true
    do: { call: expression, expr: "state.currentUserMessage.contains('bye') ? 'end' : state.currentUserMessage.contains('?') ? 'answer_from_history' : 'converse'" }
  converse_turn:
    listen: converse
    do: { call: expression, expr: "'own: ' + state.current_user_message" }
  answer_from_history_turn:
    listen: answer_from_history
    do: { call: expression, expr: "'from ' + string(size(state.messages)) + ' messages'" }
  end_conversation:
    listen: end
    do: { call: expression, expr: "'see you'" }
`;

const REPLIES = [
  ["hello", "converse", "own: hello"],
  ["what?", "answer_from_history", "from 3 messages"],
  ["bye", "end", "see you"],
] as const;

describe("CrewAI's names of built-in methods", () => {
  it("take their place in YAML", async () => {
    const talk = flowFromDeclaration(YAML);
    expect(Object.keys(talk.definition.methods)).toEqual([
      "converse_turn",
      "answer_from_history_turn",
      "end_conversation",
      "route_conversation",
    ]);
    for (const [said, route, reply] of REPLIES)
      expect(await turnOf(talk, said)).toMatchObject({ route, reply });
  });

  it("work in a flow sent over HTTP", async () => {
    const world = new HttpWorld({ declarativeFlows: declarativeFlows() });
    const headers = { "content-type": "application/yaml" };
    await world.ask("/flows/chat", { method: "PUT", body: YAML, headers });
    for (const [message, route, reply] of REPLIES) {
      const json = { message, sessionId: "s" };
      const { json: begun } = await world.ask("/flows/chat/turns", { json });
      await world.clock.settle();
      const { json: run } = await world.ask(`/runs/${textOf(begun["id"])}`);
      expect(run["output"]).toMatchObject({ route, reply });
    }
  });

  it("take their place in a class, decorated or not", async () => {
    @conversational()
    class Marked extends Flow() {
      @start() @router() route_conversation() {
        return "converse";
      }
      @listen("converse") converse_turn() {
        return `own: ${this.conversation.message}`;
      }
    }
    @conversational()
    class Plain extends Flow() {
      converse_turn() {
        return `own: ${this.conversation.message}`;
      }
      route_turn() {
        return this.conversation.message === "bye" ? "end" : null;
      }
      end_conversation() {
        return "see you";
      }
    }
    expect(await turnOf(new Marked(), "a")).toMatchObject({ route: "converse", reply: "own: a" });
    expect(await turnOf(new Plain(), "a")).toMatchObject({ route: "converse", reply: "own: a" });
    expect(await turnOf(new Plain(), "bye")).toMatchObject({ route: "end", reply: "see you" });
  });

  it("take their place in an object of methods", async () => {
    const talk = talkOf(
      {},
      {
        route_conversation: {
          start: true,
          router: true,
          emit: ["converse"],
          run: () => "converse",
        },
        converse_turn: { listen: "converse", run: () => "own" },
      },
    );
    expect(await turnOf(talk, "a")).toMatchObject({ route: "converse", reply: "own" });
  });

  it("stand beside ours for other methods", async () => {
    const talk = talkOf({}, { answer_turn: { listen: "converse", run: () => null } });
    expect((await turnOf(talk, "a")).reply).toMatch(/^I cannot answer yet/);
  });

  it("an own routing method decides for its turn only, never by the turn before", async () => {
    const talk = talkOf(
      {},
      {
        routeConversation: {
          start: true,
          router: true,
          run: ({ conversation }) =>
            conversation.message === "none" ? null : conversation.message,
        },
      },
    );
    const routes = [];
    for (const said of ["one", "none", "two"]) routes.push((await turnOf(talk, said)).route);
    expect(routes).toEqual(["one", null, "two"]);
  });
});
