// What a turn publishes does not depend on what its methods do to the lists of the state.
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/base/json.ts";
import { flowFromDeclaration } from "../../../../src/declarative/flow-from-declaration.ts";
import type { CodeContext } from "../../../../src/declarative/code-action.ts";
import type { FlowMethod } from "../../../../src/flow/flow-options.ts";
import { InMemoryFlowStore } from "../../../../src/flow/flow-store.ts";
import type { ConversationMessage } from "../../../../src/flow/index.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";
import { talkOf, turnOf } from "../../../support/talks.ts";

type Run = FlowMethod<Record<string, JsonValue>>["run"];
type Context = Parameters<Run>[0];

/** A flow whose every turn is dealt with by one method. */
const answering = (run: Run) => talkOf({ routeTurn: () => "go" }, { go_on: { listen: "go", run } });

const spoken = (messages: readonly ConversationMessage[] = []) =>
  messages.map(({ role, content }) => `${role}: ${content}`);

/** Takes turns one after another, and answers what each published. */
async function turns(run: Run, ...said: readonly string[]) {
  const talk = answering(run);
  const published: string[][] = [];
  for (const message of said) published.push(spoken((await turnOf(talk, message)).messages));
  return { published, session: spoken((await talk.conversation?.session("s"))?.messages) };
}

const trims: Readonly<Record<string, (context: Context) => void>> = {
  "clears the events": ({ state }) => void (state["events"] = []),
  "keeps one event": ({ state }) => void (state["events"] = (state["events"] as []).slice(-1)),
  "clears the messages": ({ state }) => void (state["messages"] = []),
  "clears everything": ({ state }) =>
    void Object.assign(state, { messages: [], events: [], agentThreads: {} }),
  "keeps all": () => {},
};

describe.each(Object.entries(trims))("a method that %s", (_, trim) => {
  it.each<[string, JsonValue, JsonValue]>([
    ["the same result", "SECRET", "SECRET"],
    ["its text", { raw: "SECRET", usage: {} }, "SECRET"],
    ["its text between blanks", { raw: "SECRET\n" }, "SECRET"],
    ["another output of the same text", "SECRET", { raw: "SECRET", usage: {} }],
  ])(
    "TX2: publishes no private result, before or after, when it returns %s",
    async (...[, result, returned]) => {
      const recording =
        (first: boolean): Run =>
        (context) => {
          if (first) trim(context);
          context.conversation.appendAgentResult("Digger", result);
          if (!first) trim(context);
          return returned;
        };
      for (const first of [true, false]) {
        const { published } = await turns(recording(first), "one", "two", "three");
        expect(published).toEqual([["user: one"], ["user: two"], ["user: three"]]);
      }
    },
  );

  it("TX1: publishes a reply once, before or after trimming, together with the user's message", async () => {
    const replying =
      (first: boolean): Run =>
      (context) => {
        if (first) trim(context);
        context.conversation.appendMessage({ role: "assistant", content: "reply" });
        if (!first) trim(context);
        return "reply";
      };
    for (const first of [true, false]) {
      const { published } = await turns(replying(first), "one", "two", "two");
      expect(published).toEqual([
        ["user: one", "assistant: reply"],
        ["user: two", "assistant: reply"],
        ["user: two", "assistant: reply"],
      ]);
    }
  });
});

describe("the messages of a turn", () => {
  it("TX1: are not doubled when a method appends its reply and keeps the last four", async () => {
    const run: Run = ({ conversation, state }) => {
      const reply = `about ${conversation.message}`;
      conversation.appendMessage({ role: "assistant", content: reply });
      state["messages"] = (state["messages"] as []).slice(-4);
      return reply;
    };
    const { published, session } = await turns(run, "1", "2", "3", "4");
    expect(published[3]).toEqual(["user: 4", "assistant: about 4"]);
    expect(session).toEqual(["user: 3", "assistant: about 3", "user: 4", "assistant: about 4"]);
  });

  it("TX1: are found when a method puts them into the state itself, and trims it", async () => {
    const run: Run = ({ state, conversation }) => {
      const reply = { role: "assistant", content: "ok", metadata: {} };
      state["messages"] = [...(state["messages"] as JsonValue[]), reply].slice(-3);
      return conversation.message === "b" ? "something else" : "ok";
    };
    const { published, session } = await turns(run, "a", "b", "c");
    expect(published[2]).toEqual(["user: c", "assistant: ok"]);
    expect(session).toEqual(["assistant: ok", "user: c", "assistant: ok"]);
  });

  it("TX1: keep their numbers when a method trims the list", async () => {
    const talk = answering(({ conversation, state }) => {
      conversation.appendMessage({ role: "assistant", content: "a" });
      state["messages"] = [];
      conversation.appendMessage({ role: "assistant", content: "b" });
    });
    await turnOf(talk, "1");
    const { published } = await turnOf(talk, "2");
    expect(published.filter((each) => /\d /.test(each))).toEqual([
      "3 user: 2",
      "4 assistant: a",
      "5 assistant: b",
    ]);
    expect(await talk.conversation?.session("s")).toMatchObject({ firstMessage: 5 });
  });

  it("TX1: are the same wherever the process dies, also for messages of a declared function", async () => {
    const declaration = {
      name: "help",
      conversational: true,
      methods: {
        route_conversation: {
          start: true,
          router: true,
          emit: ["go"],
          do: { call: "expression", expr: "'go'" },
        },
        answer: {
          listen: "go",
          do: {
            call: "each",
            in: "[1, 2]",
            do: [{ name: "say", action: { call: "code", ref: "say", with: { n: "${item}" } } }],
          },
        },
        last: { listen: "answer", do: { call: "code", ref: "secret" } },
      },
    };
    const functions = {
      say: ({ n }: { n: number }, { conversation, state }: CodeContext) => {
        conversation.appendMessage({ role: "assistant", content: `reply ${n}` });
        state["messages"] = (state["messages"] as []).slice(-1);
      },
      secret: (_: unknown, { conversation, state }: CodeContext) => {
        conversation.appendAgentResult("Digger", { raw: "SECRET" });
        state["events"] = [];
        return "SECRET";
      },
    };
    const made = () => {
      const talk = flowFromDeclaration(declaration, {
        registry: { functions },
      });
      const entry = talk.conversation?.entry({ sessionId: "s", message: "hi" });
      return { program: talk.program(entry), services: { flowStates: new InMemoryFlowStore() } };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.output).toMatchObject({
      reply: "reply 2",
      route: "go",
      messages: [{ content: "hi" }, { content: "reply 1" }, { content: "reply 2" }],
    });
    expect(cut.length).toBeGreaterThan(15);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
