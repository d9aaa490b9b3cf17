import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../../../src/base/bytes.ts";
import { requireEnvVars } from "../../../../../src/tools/env-vars.ts";
import { scriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";
import { ocr } from "../../../../../src/tools/catalog/images/ocr.ts";
import { vision } from "../../../../../src/tools/catalog/images/vision.ts";
import { addImageToContent } from "../../../../../src/tools/catalog/images/add-image.ts";
import { calling, scriptedAgent } from "../../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { workspaceWith, type FilesByPath } from "../../../../support/document-world.ts";
import { pngBytes } from "../../../../support/sample-files.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";

const PNG = pngBytes(3, 2);
const FILES = { "shots/tea.png": PNG, "fake.png": "no image", "a.pdf": "%PDF-1.7\n" };
const usage = { promptTokens: 900, completionTokens: 12, totalTokens: 912, requests: 1 };

async function look(
  make: typeof vision,
  image_path_url: string,
  { files = FILES, ...options }: { readonly files?: FilesByPath; readonly sees?: boolean } = {},
) {
  const model = scriptedModel([{ text: "A teapot.", usage }], {
    id: "openai/seeing",
    capabilities: { vision: options.sees ?? true },
  });
  const services = { files: await workspaceWith(files) };
  const world = await callOf(make({ llm: model }), { image_path_url }, { services });
  return { ...world, model };
}

describe("VisionTool", () => {
  it("shows the model the image, with the type of its bytes, and returns the answer", async () => {
    const { text, model, extras } = await look(vision, "shots/tea.png");
    expect(text).toBe("A teapot.");
    const [call] = model.calls;
    expect(call?.messages).toMatchObject([
      {
        role: "user",
        content: [
          { type: "text", text: expect.stringContaining("Describe") },
          { type: "image", data: toBase64(PNG), mediaType: "image/png" },
        ],
      },
    ]);
    expect(extras.untrusted).toEqual(["shots/tea.png"]);
  });

  it("leaves an image at its address for the model to fetch", async () => {
    const { model, extras, requests } = await look(vision, "https://shop.example/tea.jpg?x=1");
    expect(model.calls[0]?.messages[0]?.content).toMatchObject([
      { type: "text" },
      { type: "image", url: "https://shop.example/tea.jpg?x=1" },
    ]);
    expect(requests).toEqual([]);
    expect(extras.sources).toEqual([{ url: "https://shop.example/tea.jpg?x=1" }]);
  });

  it("fails for non-images, missing files and private addresses", async () => {
    const failed = async (named: string) => (await look(vision, named)).failure?.code;
    expect(await failed("fake.png")).toBe("bad_request");
    expect(await failed("a.pdf")).toBe("bad_request");
    expect(await failed("nothing.png")).toBe("not_found");
    expect(await failed("../x.png")).toBe("refused");
    expect(await failed("http://10.0.0.1/a.png")).toBe("refused");
    expect(await failed("https://shop.example/a.pdf")).toBe("bad_request");
  });

  it("names the model without vision", async () => {
    const { failure, model } = await look(vision, "shots/tea.png", { sees: false });
    expect(failure?.message).toContain("openai/seeing does not see images");
    expect(model.calls).toEqual([]);
  });

  it("needs a key of OpenAI when it has no model of its own", () => {
    expect(() => requireEnvVars([vision()], {})).toThrow(/OPENAI_API_KEY/);
    expect(() => requireEnvVars([vision({ llm: "anthropic/x" })], {})).not.toThrow();
    expect(vision.entry.variables).toMatchObject([{ name: "OPENAI_API_KEY", required: false }]);
  });

  it("counts usage for its run and for the calling agent", async () => {
    const seeing = scriptedModel([{ text: "A teapot.", usage }], { id: "openai/seeing" });
    const { agent } = scriptedAgent(
      [calling("vision_tool", { image_path_url: "https://shop.example/tea.png" }), "done"],
      { tools: [vision({ llm: seeing })] },
    );
    const { usage: counted } = await agent.kickoff("Look");
    expect(counted.totalTokens).toBeGreaterThanOrEqual(912);
    expect(counted.requests).toBe(3);
  });

  it("asks the model once, wherever the run is cut off afterwards", async () => {
    const files = await workspaceWith(FILES);
    const calls: string[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const asked: string[] = [];
      calls.push(asked);
      const llm = scriptedModel(() => {
        asked.push("asked");
        return "A teapot.";
      });
      const input = { image_path_url: "shots/tea.png" };
      return toolSubject(vision({ llm }), input, { services: { files } });
    });
    for (const { course } of cut) expect(course.output).toEqual(whole.course.output);
    // Only a call that was under way is made again.
    expect(calls.filter(({ length }) => length > 1).length).toBeLessThanOrEqual(2);
    expect(Math.max(...calls.map(({ length }) => length))).toBe(2);
  });
});

describe("OCRTool", () => {
  it("asks for the text as it stands", async () => {
    const { model, text } = await look(ocr, "shots/tea.png");
    expect(text).toBe("A teapot.");
    const [call] = model.calls;
    expect(call?.request.messages[0]?.content).toContain("exactly as it stands");
  });
});

describe("AddImageTool", () => {
  it("has the image be part of the next message", async () => {
    const services = { files: await workspaceWith(FILES) };
    const { text, extras } = await callOf(
      addImageToContent(),
      { image_url: "shots/tea.png", action: "What is on the lid?" },
      { services },
    );
    expect(text).toBe("What is on the lid?");
    expect(extras.images).toEqual([{ path: "shots/tea.png", mediaType: "image/png" }]);
  });

  it("is a tool of multimodal agents, whose model then sees the image", async () => {
    const script = [
      calling("add_image_to_content", { image_url: "https://shop.example/tea.png" }),
      "A teapot.",
    ];
    const { agent, model } = scriptedAgent(script, { multimodal: true });
    expect((await agent.kickoff("What is in the picture?")).raw).toBe("A teapot.");
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
      "add_image_to_content",
    ]);
    expect(model.calls[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: [{ type: "text" }, { type: "image" }],
    });
  });

  it("refuses non-images and forbidden addresses", async () => {
    const services = { files: await workspaceWith(FILES) };
    const failed = async (image_url: string) =>
      (await callOf(addImageToContent(), { image_url }, { services })).failure?.code;
    expect(await failed("a.pdf")).toBe("refused");
    expect(await failed("nothing.png")).toBe("not_found");
    expect(await failed("http://localhost/a.png")).toBe("refused");
  });
});
