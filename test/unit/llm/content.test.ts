import { describe, expect, it } from "vitest";
import { plainMessages, sendableParts, textOfContent } from "../../../src/llm/content.ts";
import type { Message } from "../../../src/llm/language-model.ts";
import { createDemoModel } from "../../../src/llm/offline/demo-model.ts";

const blind = { id: "house/m", capabilities: { vision: false } };
const image = { type: "image", url: "https://a.test/a.png" } as const;

describe("content", () => {
  it("has the text of its text parts, or a marker", () => {
    expect(textOfContent("as it is")).toBe("as it is");
    expect(textOfContent([{ type: "text", text: "a" }, image, { type: "text", text: "b" }])).toBe(
      "a\nb",
    );
    expect(textOfContent([image])).toBe("[multimodal content]");
  });

  it("writes out text files for every model, in their own letters", () => {
    const data = Buffer.from('{"città":"Forlì"}', "utf8").toString("base64");
    const file = { type: "file", name: "a.json", data, mediaType: "application/json" } as const;
    expect(sendableParts([file], blind)).toEqual([
      { type: "text", text: '<file name="a.json">\n{"città":"Forlì"}\n</file>' },
    ]);
  });

  it("refuses images and other files for a model without vision", () => {
    const pdf = { type: "file", data: "JVBE", mediaType: "application/pdf" } as const;
    for (const part of [image, pdf]) {
      expect(() => sendableParts([part], blind)).toThrow(
        expect.objectContaining({
          code: "model_rejected",
          message: expect.stringMatching(/^house\/m accepts text only.*vision: true/) as string,
        }),
      );
    }
  });

  it("is the same list when all of it is text", () => {
    const messages: Message[] = [{ role: "user", content: "x" }];
    expect(plainMessages(messages, blind)).toBe(messages);
  });

  it("reaches the demo model as text", async () => {
    const ask = (content: Message["content"]) =>
      createDemoModel().generate(
        { messages: [{ role: "user", content }] },
        { signal: new AbortController().signal },
      );
    const text = "Summarise:\n\nThe moon orbits the Earth.";
    expect((await ask([{ type: "text", text }])).text).toBe((await ask(text)).text);
    await expect(ask([image])).rejects.toMatchObject({ code: "model_rejected" });
  });
});
