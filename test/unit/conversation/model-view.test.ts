import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { ModelView } from "../../../src/conversation/turns/model-view.ts";

const user = (name: string, content: string): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const own = (content: string): ConversationMessage => ({ role: "assistant", name: "me", content });
const calling: ConversationMessage = {
  role: "assistant",
  content: null,
  toolCalls: [{ id: "x", name: "look", arguments: "{}" }],
};
const result: ConversationMessage = {
  role: "tool",
  content: "seen",
  toolResponses: [{ toolCallId: "x", content: "seen" }],
};

describe("a history for a model", () => {
  it("MDM1: one other speaker needs no name; of several, each text begins with its author's", () => {
    const one = new ModelView().of("Be kind.", [user("ana", "hi"), own("hello")]);
    expect(one.messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
    ]);
    const two = new ModelView().of("", [user("ana", "hi"), user("bo", "ho")]);
    expect(two.messages).toEqual([
      { role: "user", content: "ana: hi" },
      { role: "user", content: "bo: ho" },
    ]);
  });

  it("MDM1: in a group the first message has a name too, also before others have spoken", () => {
    const view = new ModelView({ isAlwaysNamed: () => true });
    expect(view.of("", [user("ana", "hi")]).messages).toEqual([
      { role: "user", content: "ana: hi" },
    ]);
  });

  it("MDM2: single results in OpenAI's form reach the model", () => {
    const single: ConversationMessage = { role: "tool", content: "seen", toolCallId: "x" };
    const { messages } = new ModelView().of("", [user("ana", "look"), calling, single]);
    expect(messages.at(-1)).toEqual({
      role: "tool",
      toolCallId: "x",
      toolName: "look",
      content: "seen",
    });
  });

  it("MDM1: images go as images, and the author of parts as a text of its own", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const parts = [{ type: "text", text: "look" }, image];
    const message: ConversationMessage = { role: "user", name: "ana", content: parts };
    expect(new ModelView().of("", [message]).messages[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ]);
    const named = new ModelView().of("", [user("bo", "hi"), message]).messages[1]?.content;
    expect(named?.[0]).toEqual({ type: "text", text: "ana:" });
  });

  it("MDM2: a call without a result gets one, and a result without a call is dropped", () => {
    const { messages } = new ModelView().of("", [calling, user("ana", "and?"), result]);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(messages[1]).toMatchObject({ toolCallId: "x", toolName: "look", content: "seen" });
    expect(new ModelView().of("", [user("ana", "hi"), result]).messages).toHaveLength(1);
  });

  it("MDM3: a growing view ends as one made at once, and keeps its earlier messages", () => {
    const histories: ReadonlyArray<readonly ConversationMessage[]> = [
      [user("ana", "1"), own("2"), user("ana", "3"), own("4")],
      [user("ana", "1"), calling, result, own("2"), user("ana", "3")],
      [user("ana", "1"), own("2"), user("bo", "3"), own("4"), user("cy", "5")],
      [user("ana", "1"), calling, user("bo", "2"), result, own("3")],
    ];
    for (const history of histories) {
      const view = new ModelView();
      for (let length = 1; length <= history.length; length++) {
        const grown = view.of("Be kind.", history.slice(0, length));
        const whole = new ModelView().of("Be kind.", history.slice(0, length));
        expect(grown.messages).toEqual(whole.messages);
        expect(grown.hash).toBe(whole.hash);
      }
    }
    const view = new ModelView();
    const first = view.of("", [user("ana", "1")]).messages;
    expect(view.of("", [user("ana", "1"), own("2")]).messages).not.toBe(first);
    const kept = user("ana", "1");
    const before = view.of("", [kept]);
    expect(view.of("", [kept, own("2")])).toBe(before);
  });

  it("MDM3: a list of other code extends the view when it begins the same, and else replaces it", () => {
    const view = new ModelView();
    const [first, middle, last] = [user("ana", "1"), own("2"), user("ana", "3")];
    const before = view.of("", [first, middle, last]);
    expect(view.of("", [first, middle, last, own("4")])).toBe(before);
    const changed = view.of("", [first, own("short"), last, own("4")]);
    expect(changed.messages.map(({ content }) => content)).toEqual(["1", "short", "3", "4"]);
  });

  it("MDM4: a message for several members is one object, with its author's name and without", () => {
    const [first, second] = [user("ana", "1"), user("bo", "2")];
    const seenBy = (history: readonly ConversationMessage[]) => new ModelView().of("", history);
    const [mine, yours] = [
      [first, second, own("3")],
      [first, second],
    ].map(seenBy);
    expect(mine?.messages[0]).toEqual({ role: "user", content: "ana: 1" });
    for (const place of [0, 1]) expect(mine?.messages[place]).toBe(yours?.messages[place]);
    const [alone] = [seenBy([first]), seenBy([first, own("3")])].map(({ messages }) => messages[0]);
    expect(alone).toEqual({ role: "user", content: "1" });
    expect(seenBy([first, own("4")]).messages[0]).toBe(alone);
  });

  it("MDM3: another system text, or another history, makes a new view", () => {
    const view = new ModelView();
    const kept = user("ana", "1");
    view.of("Be kind.", [kept, own("2")]);
    expect(view.of("Be brief.", [kept, own("2")]).messages[0]?.content).toBe("Be brief.");
    expect(view.of("Be brief.", [user("ana", "other")]).messages).toHaveLength(2);
  });
});
