import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { EngineError } from "../../../../src/base/error.ts";
import type { ConversationConfig } from "../../../../src/flow/index.ts";
import type { JsonValue } from "../../../../src/base/json.ts";
import type { FlowMethod } from "../../../../src/flow/flow-options.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { talkOf, turnOf } from "../../../support/talks.ts";

type Run = FlowMethod<Record<string, JsonValue>>["run"];

/** A flow whose every turn is dealt with by one method. */
function answering(run: Run, config: ConversationConfig = {}) {
  return talkOf({ routeTurn: () => "go", ...config }, { go_on: { listen: "go", run } });
}

const contents = ({ messages }: { readonly messages: readonly { content: string }[] }) =>
  messages.map(({ content }) => content);

describe("the assistant's reply", () => {
  it.each<[string, JsonValue, string | null]>([
    ["the flow's text output", "hello", "hello"],
    ["the text of an output", { raw: "hello", usage: {} }, "hello"],
    ["absent for another value", { answer: "hello" }, null],
    ["absent for a list", ["hello"], null],
    ["absent for null", null, null],
    ["absent for blank text", "  ", null],
    ["absent for the label of a route", "converse", null],
    ["absent for the route of the turn", "go", null],
  ])("TU3: is %s", async (_, value, reply) => {
    const talk = answering(() => value);
    const turn = await turnOf(talk, "hi");
    expect(turn).toMatchObject({ value, reply });
    expect(contents(turn)).toEqual(reply === null ? ["hi"] : ["hi", reply]);
    const view = await talk.conversation?.session("s");
    expect(view?.messages.map(({ role, content }) => [role, content])).toEqual(
      reply === null
        ? [["user", "hi"]]
        : [
            ["user", "hi"],
            ["assistant", reply],
          ],
    );
    expect(turn.published.includes(`1 assistant: ${reply}`)).toBe(reply !== null);
  });

  it("is not an intent of the turn either", async () => {
    const intentLlm = scriptedModel(['{"intent":"refund"}']);
    const talk = answering(() => "refund");
    expect((await turnOf(talk, "hi", { intents: ["refund"], intentLlm })).reply).toBeNull();
  });

  it("is left out when a method has already replied in this turn", async () => {
    const talk = answering(({ conversation }) => {
      conversation.appendMessage({ role: "assistant", content: "one moment" });
      return "done";
    });
    expect(contents(await turnOf(talk, "a"))).toEqual(["a", "one moment"]);
    expect(contents(await turnOf(talk, "b"))).toEqual(["b", "one moment"]);
  });

  it("comes after messages of roles other than the assistant", async () => {
    const talk = answering(({ conversation }) => {
      conversation.appendMessage({ role: "tool", content: "42", toolCallId: "t" });
      return "it is 42";
    });
    const turn = await turnOf(talk, "a");
    expect(contents(turn)).toEqual(["a", "it is 42"]);
    expect(turn.published).toContain("1 tool: 42");
    expect(turn.published).toContain("2 assistant: it is 42");
  });

  it("is never a recorded agent result, unless the result is public", async () => {
    const result = { raw: "found it", usage: { totalTokens: 3 } };
    const recording = (options?: { visibility: "private" | "public" }) =>
      answering(({ conversation }) => {
        conversation.appendAgentResult("Digger", result, options);
        return result;
      });
    expect((await turnOf(recording(), "a")).reply).toBeNull();
    expect((await turnOf(recording({ visibility: "private" }), "a")).reply).toBeNull();
    expect((await turnOf(recording({ visibility: "public" }), "a")).reply).toBe("found it");
    // Another result than the one that was recorded is a reply.
    const other = answering(({ conversation }) => {
      conversation.appendAgentResult("Digger", result);
      return "in short: found";
    });
    expect((await turnOf(other, "a")).reply).toBe("in short: found");
  });
});

describe("agents' results", () => {
  const agent = new Agent({ role: "Digger", goal: "dig", backstory: "digs", llm: "offline/demo" });
  const digging = (config: ConversationConfig) =>
    answering(({ conversation }) => {
      conversation.appendAgentResult(agent, { raw: "gold" }, { metadata: { depth: 3 } });
      return null;
    }, config);

  it("stay in a thread and a private event, hidden from the messages", async () => {
    const talk = digging({});
    await turnOf(talk, "a");
    const turn = await turnOf(talk, "b");
    expect(turn.reply).toBeNull();
    const view = await talk.conversation?.session("s");
    expect(view).toMatchObject({ events: [], messages: [{ content: "a" }, { content: "b" }] });
    expect(JSON.stringify([view, turn.state, turn.messages])).not.toContain("gold");
  });

  it("are seen by the methods of later turns", async () => {
    const seen: unknown[] = [];
    const talk = answering(({ conversation, state }) => {
      seen.push(structuredClone([state["agentThreads"], state["events"]]));
      conversation.appendAgentResult({ name: "Digger" }, { raw: "gold" }, { metadata: { n: 1 } });
    });
    await turnOf(talk, "a");
    await turnOf(talk, "b");
    expect(seen).toEqual([
      [{}, []],
      [
        { Digger: [{ role: "assistant", content: "gold", name: "Digger", metadata: { n: 1 } }] },
        [
          {
            type: "agent_result",
            payload: { result: { raw: "gold" }, metadata: { n: 1 } },
            agentName: "Digger",
            visibility: "private",
          },
        ],
      ],
    ]);
  });

  it.each<[string, ConversationConfig["visibleAgentOutputs"], boolean]>([
    ["the agent is named", ["Digger"], true],
    ["all are", "all", true],
    ["another one is", ["Writer"], false],
  ])("are public when %s", async (_, visibleAgentOutputs, isPublic) => {
    const talk = digging(visibleAgentOutputs === undefined ? {} : { visibleAgentOutputs });
    const turn = await turnOf(talk, "a");
    expect(turn.reply).toBe(isPublic ? "gold" : null);
    const view = await talk.conversation?.session("s");
    expect(view?.events.map(({ agentName }) => agentName)).toEqual(isPublic ? ["Digger"] : []);
    expect(view?.messages.map(({ name }) => name)).toEqual(
      isPublic ? [undefined, "Digger"] : [undefined],
    );
  });

  it("need an agent and a known visibility", async () => {
    const unnamed = answering(({ conversation }) => conversation.appendAgentResult("", 1));
    await expect(turnOf(unnamed, "a")).rejects.toThrow(/agent must be an agent, .* got ""/);
    const hidden = answering(({ conversation }) =>
      conversation.appendAgentResult("A", 1, { visibility: "hidden" as never }),
    );
    await expect(turnOf(hidden, "a")).rejects.toThrow(/visibility must be .* got "hidden"/);
  });
});

describe("the built-in methods", () => {
  it("converse with the model over the whole conversation", async () => {
    const llm = scriptedModel(["hello", "tea, you said"]);
    const talk = talkOf({ llm });
    await turnOf(talk, "tea");
    expect(await turnOf(talk, "what?")).toMatchObject({
      value: "tea, you said",
      reply: "tea, you said",
      turn: 2,
      published: [
        "started",
        "2 user: what?",
        "route converse after converse",
        "3 assistant: tea, you said",
        "completed",
      ],
    });
    expect(llm.calls[1]?.request.messages).toEqual([
      { role: "system", content: expect.stringContaining("You talk with a person") as string },
      { role: "user", content: "tea" },
      { role: "assistant", content: "hello" },
      { role: "user", content: "what?" },
    ]);
  });

  it.each<[string, ConversationConfig, readonly string[]]>([
    ["the configured system prompt", { systemPrompt: "Be short." }, ["Be short.", "hi"]],
    ["no extra text when it is empty", { systemPrompt: "" }, ["hi"]],
  ])("give the model %s", async (_, config, said) => {
    const llm = scriptedModel(["ok"]);
    await turnOf(talkOf({ llm, ...config }), "hi");
    expect(llm.calls[0]?.request.messages.map(({ content }) => content)).toEqual(said);
  });

  it("come from another model of the conversation when it has no llm", async () => {
    const says = (words: string) => scriptedModel(() => words);
    const replyOf = async (config: ConversationConfig): Promise<string | null> =>
      (await turnOf(talkOf({ routeTurn: () => "converse", ...config }), "hi")).reply;
    const intentLlm = says("intents");
    expect(await replyOf({ intentLlm })).toBe("intents");
    expect(await replyOf({ intentLlm, router: { llm: says("router") } })).toBe("router");
    expect(await replyOf({ intentLlm, answerFromHistoryLlm: says("history") })).toBe("history");
    expect(await replyOf({ intentLlm, llm: says("own") })).toBe("own");
    expect(await replyOf({ intentLlm, router: {} })).toMatch(/no model is configured/);
  });

  it("reply with a note when no model is configured", async () => {
    const turn = await turnOf(talkOf({}), "hi");
    expect(turn.reply).toMatch(/no model is configured/);
    const route = { routeTurn: () => "answer_from_history" };
    expect((await turnOf(talkOf(route), "hi")).reply).toMatch(/no model is configured/);
  });

  it("use texts of the flow's own", async () => {
    const prompts = { conversation: { noModel: "Nobody is in." } };
    expect((await turnOf(talkOf({}, {}, { prompts }), "hi")).reply).toBe("Nobody is in.");
  });

  it("answer from history with its own prompt, or with the conversation's model", async () => {
    const answerFromHistoryLlm = scriptedModel(["as said"]);
    const routeTurn = () => "answer_from_history";
    const answerFromHistoryPrompt = "Only the past.";
    await turnOf(talkOf({ routeTurn, answerFromHistoryLlm, answerFromHistoryPrompt }), "hi");
    expect(answerFromHistoryLlm.calls[0]?.request.messages[0]?.content).toBe("Only the past.");
    const llm = scriptedModel(["from the other"]);
    expect((await turnOf(talkOf({ routeTurn, llm }), "hi")).reply).toBe("from the other");
  });

  it("end the conversation until the next message", async () => {
    const talk = talkOf({ routeTurn: ({ message }) => (message === "bye" ? "end" : null) });
    expect(await turnOf(talk, "bye")).toMatchObject({ ended: true, reply: null, route: "end" });
    expect((await talk.conversation?.session("s"))?.ended).toBe(true);
    expect((await turnOf(talk, "one more thing")).ended).toBe(false);
  });

  it("fail the turn when the model fails", async () => {
    const llm = scriptedModel([{ error: new EngineError("model_rejected", "too rude") }, "fine"]);
    const talk = talkOf({ llm });
    await expect(turnOf(talk, "hi")).rejects.toThrow("too rude");
    expect(await turnOf(talk, "hi again")).toMatchObject({ turn: 1, reply: "fine" });
    expect((await talk.conversation?.session("s"))?.messages).toHaveLength(2);
  });
});

describe("a streamed turn", () => {
  it("gives frames of the route, the messages and the words of the built-in methods' model", async () => {
    const talk = talkOf({ llm: scriptedModel(["hello you"]) });
    const stream = talk.streamTurn("hi", { sessionId: "s" });
    const types: string[] = [];
    let words = "";
    for await (const { channel, type, data } of stream) {
      if (type.startsWith("conversation_")) types.push(`${channel} ${type}`);
      if (type === "llm_stream_chunk") words += data["chunk"] as string;
    }
    expect(words).toBe("hello you");
    expect(types).toEqual([
      "flow conversation_turn_started",
      "messages conversation_message_added",
      "flow conversation_route_selected",
      "messages conversation_message_added",
      "flow conversation_turn_completed",
    ]);
    expect((await stream.output()).reply).toBe("hello you");
  });
});
