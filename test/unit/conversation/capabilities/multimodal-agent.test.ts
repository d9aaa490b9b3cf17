import { describe, expect, it } from "vitest";
import {
  MultimodalConversableAgent,
  type MultimodalAgentOptions,
} from "../../../../src/conversation/capabilities/multimodal-agent.ts";
import type { LanguageModel } from "../../../../src/llm/language-model.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { toldInChat } from "../../../support/conversations.ts";
import { quietAgent } from "../../../support/chatting-agents.ts";
import { recordedFetch } from "../../../support/recorded-fetch.ts";

const asker = quietAgent("asker");
const URL = "https://a.test/cat.png";

/** What was said, and what the model was sent. */
async function asked(message: unknown, options: Partial<MultimodalAgentOptions> = {}) {
  const model = scriptedModel(["A cat."]);
  const agent = new MultimodalConversableAgent({
    name: "seer",
    humanInputMode: "NEVER",
    llm: model,
    systemMessage: `Not <img ${URL}>`,
    ...options,
  });
  const result = await asker.initiateChat(agent, { message: message as string, maxTurns: 1 });
  return {
    said: result.chatHistory[0]?.content,
    sent: model.calls[0]?.messages.map(({ content }) => content),
  };
}

describe("a multimodal agent", () => {
  it("MMA1: sends images from other messages, and the log keeps the text", async () => {
    const { said, sent } = await asked(`What is this: <img ${URL}>`);
    expect(said).toBe(`What is this: <img ${URL}>`);
    expect(sent).toEqual([
      toldInChat("seer", "asker", `Not <img ${URL}>`),
      [
        { type: "text", text: "What is this: " },
        { type: "image", url: URL },
      ],
    ]);
  });

  it("MMA1: finds tags in parts, beside images in OpenAI's form with their detail", async () => {
    const image = { type: "image_url", image_url: { url: "https://b.test/2", detail: "low" } };
    const { sent } = await asked({
      content: [{ type: "text", text: `<img ${URL}> or` }, image],
    });
    expect(sent?.[1]).toEqual([
      { type: "image", url: URL },
      { type: "text", text: " or" },
      { type: "image", url: "https://b.test/2", detail: "low" },
    ]);
  });

  it("MMA1: leaves out refused addresses", async () => {
    const { sent } = await asked(`<img ${URL}>`, { acceptImage: () => false });
    expect(sent?.[1]).toBe(`<img ${URL}>`);
  });

  it.each([
    ["openai/gpt-4o", "OPENAI_API_KEY", { type: "image_url", image_url: { url: URL } }],
    [
      "anthropic/claude-sonnet-4-5",
      "ANTHROPIC_API_KEY",
      { type: "image", source: { type: "url", url: URL } },
    ],
  ])("MMA1: %s receives the image in its own form", async (spec, key, expected) => {
    const { sent, fetch } = recordedFetch();
    const llm: LanguageModel = resolveModel(spec, { variables: { [key]: "k" }, fetch });
    const agent = new MultimodalConversableAgent({ name: "seer", humanInputMode: "NEVER", llm });
    await asker.initiateChat(agent, { message: `What? <img ${URL}>`, maxTurns: 1 });
    expect(JSON.stringify(sent[0]?.body)).toContain(JSON.stringify(expected));
  });
});
