import { describe, expect, it } from "vitest";
import type { FileKind, RunFile } from "../../../src/files/file-ref.ts";
import { planFiles, type PlanBudget } from "../../../src/files/plan-files.ts";
import type { FileTaker } from "../../../src/files/provider-limits.ts";
import type { ModelCapabilities } from "../../../src/llm/language-model.ts";

const MEBI = 1024 * 1024;

function fileOf(name: string, mediaType: string, more: Partial<RunFile> = {}): RunFile {
  const [top = ""] = mediaType.split("/");
  const kinds: Readonly<Record<string, FileKind>> = {
    "application/pdf": "pdf",
    "application/zip": "other",
  };
  const kind =
    kinds[mediaType] ??
    (["image", "audio", "video", "text"].includes(top) ? (top as FileKind) : "document");
  return {
    key: name,
    name,
    mediaType,
    kind,
    at: { path: name },
    bytes: 1000,
    sha256: "00",
    ...more,
  };
}
const png = (more: Partial<RunFile> = {}, name = "chart.png"): RunFile =>
  fileOf(name, "image/png", { width: 100, height: 100, ...more });
const pdf = (more: Partial<RunFile> = {}): RunFile =>
  fileOf("report.pdf", "application/pdf", { pages: 3, ...more });

function taker(
  limits: string,
  { upload = true, ...more }: Partial<FileTaker> & { readonly upload?: boolean } = {},
): FileTaker {
  const capabilities: ModelCapabilities = {
    tools: true,
    responseSchema: true,
    stop: true,
    vision: true,
    pdf: true,
  };
  return {
    id: `${limits}/model`,
    capabilities,
    contextWindow: 200_000,
    files: { limits, ...(upload ? { upload: async () => ({ fileId: "f" }) } : undefined) },
    ...more,
  };
}
const claude = taker("anthropic");
const blind = taker("groq", {
  upload: false,
  capabilities: { tools: true, responseSchema: true, stop: true },
});
const groq = taker("groq", {
  upload: false,
  capabilities: { ...blind.capabilities, vision: true },
});

const plan = (files: readonly RunFile[], model: FileTaker, budget: PlanBudget = {}) =>
  planFiles(files, model, { budget });
const sends = (files: readonly RunFile[], model: FileTaker, budget: PlanBudget = {}) =>
  plan(files, model, budget).map(({ action }) => action.send);

describe("the plan of a conversation's files", () => {
  it("FPL5: an image at the limit is sent along, one a byte larger is made smaller (FT6)", () => {
    const budget = { shrinks: true };
    expect(sends([png({ bytes: 5_242_880 })], claude, budget)).toEqual(["inline"]);
    expect(plan([png({ bytes: 5_242_881 })], claude, budget)).toMatchObject([
      {
        action: { send: "shrunk", goal: { maxBytes: 5_242_880, maxSide: 8000 }, by: "inline" },
        warnings: [],
      },
    ]);
  });

  it("FPL5: in mode strict a limit is an error with the size and the limit (FT7)", () => {
    const large = png({ bytes: 6_291_456 });
    expect(() => planFiles([large], claude, { mode: "strict" })).toThrow(
      expect.objectContaining({
        code: "payload_too_large",
        message: "chart.png is 6291456 bytes; anthropic takes 5242880 per image",
      }),
    );
    expect(() => plan([{ ...pdf({ pages: 101 }), mode: "strict" }], claude)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: "report.pdf has 101 pages; anthropic takes 100 per PDF",
      }),
    );
    expect(() => plan([{ ...png({ width: 9000 }), mode: "strict" }], claude)).toThrow(
      "9000×100 pixels; anthropic takes 8000×8000",
    );
  });

  it("FPL5: an image over the limit has a warning without a way to shrink it, and is uploaded for its size (FT8)", () => {
    expect(plan([png({ bytes: 5_242_881 })], claude)).toMatchObject([
      {
        action: { send: "upload" },
        warnings: [{ limit: "5242880 bytes", actual: "5242881 bytes" }],
      },
    ]);
  });

  it("FPL5: an image with too many pixels is made smaller (FT9)", () => {
    expect(plan([png({ width: 9000, height: 3000 })], claude, { shrinks: true })).toMatchObject([
      { action: { send: "shrunk", goal: { maxSide: 8000 } } },
    ]);
  });

  it("FPL5: more than twenty images in a request have to be smaller (FT10)", () => {
    const images = (count: number) =>
      Array.from({ length: count }, () => png({ width: 3000, height: 3000 }));
    expect(new Set(sends(images(20), claude, { shrinks: true }))).toEqual(new Set(["inline"]));
    const crowd = plan(images(21), claude, { shrinks: true });
    expect(
      crowd.every(({ action }) => action.send === "shrunk" && action.goal.maxSide === 2000),
    ).toBe(true);
    expect(plan(images(20), claude, { shrinks: true, images: 1 })[0]?.action.send).toBe("shrunk");
  });

  it("FPL5: a PDF with too many pages is read, split or warned about, by its mode (FT11)", () => {
    const long = pdf({ pages: 120 });
    const budget = { reads: () => true };
    expect(sends([long], claude, budget)).toEqual(["text"]);
    expect(plan([{ ...long, mode: "chunk" }], claude, budget)).toMatchObject([
      { action: { send: "pages", maxPages: 100 } },
    ]);
    expect(plan([{ ...long, mode: "warn" }], claude, budget)).toMatchObject([
      { action: { send: "inline" }, warnings: [{ limit: "100 pages", actual: "120 pages" }] },
    ]);
    expect(sends([long], taker("anthropic", { contextWindow: 1_000_000 }), budget)).toEqual([
      "inline",
    ]);
  });

  it("FPL6: a PDF over the size for uploads is uploaded, if the provider stores files (FT12)", () => {
    const large = pdf({ bytes: 6 * MEBI });
    expect(sends([large], taker("openai-responses"))).toEqual(["upload"]);
    expect(sends([large], taker("openai-responses", { upload: false }))).toEqual(["inline"]);
    expect(sends([large], taker("openai-responses"), { uploads: false })).toEqual(["inline"]);
    expect(
      sends(
        [pdf()],
        taker("openai-responses", {
          files: {
            limits: "openai-responses",
            preferUpload: true,
            upload: async () => ({ fileId: "f" }),
          },
        }),
      ),
    ).toEqual(["upload"]);
    // Chat completions name no uploaded images.
    expect(sends([png({ bytes: 6 * MEBI }), large], taker("openai"))).toEqual(["inline", "upload"]);
  });

  it("FPL3: a URL is passed on if the provider loads it, else the file is loaded (FT17, FT18)", () => {
    const at = { url: "https://example.com/a" };
    const image = png({ at });
    expect(sends([image], claude)).toEqual(["url"]);
    expect(sends([{ ...image, byReference: false }], claude)).toEqual(["inline"]);
    expect(sends([image], taker("bedrock", { upload: false }))).toEqual(["inline"]);
    expect(sends([pdf({ at })], taker("openai"))).toEqual(["inline"]);
    expect(sends([pdf({ at })], taker("openai-responses"))).toEqual(["url"]);
  });

  it("FPL1: text goes to every model (FT19)", () => {
    expect(plan([fileOf("a.txt", "text/plain")], blind)).toMatchObject([
      { action: { send: "text" } },
    ]);
  });

  it("FPL2: an image for a model without vision is listed; strict, an error (FT20)", () => {
    expect(plan([png()], blind)).toMatchObject([
      {
        action: { send: "none" },
        warnings: [{ limit: "groq/model takes text", actual: "image/png" }],
      },
    ]);
    expect(() => planFiles([png()], blind, { mode: "strict" })).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: "chart.png (image/png) cannot be sent to groq/model, which takes text",
      }),
    );
  });

  it("FPL2: a video goes to models with video input, and is listed for others (FT21)", () => {
    const video = fileOf("a.mp4", "video/mp4", { seconds: 10 });
    expect(plan([video], taker("openai"))).toMatchObject([
      { action: { send: "none" }, warnings: [{ actual: "video/mp4" }] },
    ]);
    const gemini = taker("gemini", {
      capabilities: { ...claude.capabilities, audio: true, video: true },
    });
    expect(sends([video], gemini)).toEqual(["inline"]);
  });

  it("FPL1: sound goes to models with audio input, and as its text to others (FT22)", () => {
    const sound = fileOf("a.mp3", "audio/mpeg", { seconds: 10 });
    const listening = taker("openai", { capabilities: { ...claude.capabilities, audio: true } });
    expect(sends([sound], listening)).toEqual(["inline"]);
    expect(sends([sound], claude, { reads: () => true })).toEqual(["text"]);
    expect(sends([sound], claude)).toEqual(["none"]);
    expect(plan([fileOf("a.ogg", "audio/ogg")], listening)).toMatchObject([
      { action: { send: "none" }, warnings: [{ limit: "audio/wav, audio/mpeg" }] },
    ]);
  });

  it("FPL4: above the limit of images per request the last ones stay (FT23)", () => {
    const images = Array.from({ length: 12 }, (_, index) => png({}, `${index}.png`));
    expect(sends(images, groq)).toEqual([
      "none",
      "none",
      ...Array.from({ length: 10 }, () => "inline"),
    ]);
    expect(sends(images, groq, { images: 1 }).filter((send) => send === "none")).toHaveLength(3);
    expect(() => planFiles(images, groq, { mode: "strict" })).toThrow(
      "0.png (image/png) cannot be sent to groq/model, which takes text and images: 10 images in a request, got 12 images",
    );
  });

  it("FPL6: the largest files are uploaded when all together are too large (FT24)", () => {
    const images = Array.from({ length: 10 }, (_, index) =>
      png({ bytes: 4 * MEBI - index }, `${index}.png`),
    );
    const planned = sends(images, claude);
    const inline = images.filter((_, index) => planned[index] === "inline");
    const sum = inline.reduce((all, { bytes = 0 }) => all + 4 * Math.ceil(bytes / 3), 0);
    expect(sum).toBeLessThanOrEqual(33_554_432 - MEBI);
    expect(sum + 4 * Math.ceil((4 * MEBI) / 3)).toBeGreaterThan(33_554_432 - MEBI);
    expect(planned.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => "upload"));
    expect(planned.slice(5)).toEqual(Array.from({ length: 5 }, () => "inline"));
  });

  it("FPL6: without uploads, the largest files above the sum are listed; strict, an error", () => {
    const images = [png({ bytes: 9 * MEBI }, "a.png"), png({ bytes: 12 * MEBI }, "b.png")];
    expect(plan(images, groq)).toMatchObject([
      { action: { send: "inline" } },
      { action: { send: "none" }, warnings: [{ actual: `${12 * MEBI} bytes` }] },
    ]);
    expect(() => planFiles(images, groq, { mode: "strict" })).toThrow(
      expect.objectContaining({ code: "payload_too_large" }),
    );
    expect(sends([png({ bytes: 9 * MEBI })], groq, { usedBytes: 10 * MEBI })).toEqual(["none"]);
  });

  it("an image of an unsupported format is converted to a supported one", () => {
    const image = fileOf("a.heic", "image/heic");
    expect(plan([image], claude, { shrinks: true })).toMatchObject([
      { action: { send: "shrunk" }, warnings: [] },
    ]);
    expect(plan([image], claude)).toMatchObject([
      {
        action: { send: "none" },
        warnings: [{ limit: "image/png, image/jpeg, image/gif, image/webp", actual: "image/heic" }],
      },
    ]);
  });

  it("texts share half of the window, in their order; those without room are listed", () => {
    const text = (bytes: number) => fileOf("a.txt", "text/plain", { bytes });
    const small = { ...blind, contextWindow: 1000 };
    expect(plan([text(1000), text(400), text(5000), text(300)], small)).toMatchObject([
      { action: { send: "text", maxCharacters: 1700 } },
      { action: { send: "text", maxCharacters: 700 } },
      { action: { send: "text", maxCharacters: 300 } },
      { action: { send: "none", why: "there is no room for its text" } },
    ]);
    expect(plan([text(1_000_000)], claude)).toMatchObject([{ action: { maxCharacters: 200_000 } }]);
  });

  it("is the same for the same files, and changes none of them", () => {
    const files = Object.freeze(
      [png({ bytes: 9_000_000 }), pdf({ pages: 400 }), fileOf("a.txt", "text/plain")].map((each) =>
        Object.freeze(each),
      ),
    );
    expect(plan(files, claude)).toEqual(plan(files, claude));
  });

  it("lists a file of another kind, without a warning", () => {
    expect(plan([fileOf("a.zip", "application/zip")], claude)).toMatchObject([
      { action: { send: "none" }, warnings: [] },
    ]);
  });
});
