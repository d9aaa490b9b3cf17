// Files of crews on their way to models, with everything around the model real: what is sent for each of them, and what is warned of.
import { describe, expect, it } from "vitest";
import { BoundImages } from "../../../src/cloudflare/images-binding.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { RunServices } from "../../../src/events/run-services.ts";
import { imageSize } from "../../../src/files/detection/image-size.ts";
import { file, type InputFiles } from "../../../src/files/file-source.ts";
import { splitPdf } from "../../../src/files/pdf-pieces.ts";
import { DOCUMENT_READERS } from "../../../src/knowledge/readers/document-readers.ts";
import type { ContentPart } from "../../../src/llm/language-model.ts";
import type { ScriptedModelOptions } from "../../../src/llm/scripted/scripted-model.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { imagesDouble } from "../../support/images-double.ts";
import {
  bytesOf,
  docxBytes,
  little,
  mp4Bytes,
  pdfBytes,
  pngBytes,
} from "../../support/sample-files.ts";

const ANTHROPIC = { id: "anthropic/claude", capabilities: { vision: true, pdf: true } };

type Sent = {
  readonly parts: readonly ContentPart[];
  readonly warnings: readonly object[];
  readonly calls: number;
};

/** What the model of a crew with one task was sent for its files. */
async function sent(
  inputFiles: InputFiles,
  modelOptions: ScriptedModelOptions,
  services: RunServices = {},
): Promise<Sent> {
  const { agent, model } = scriptedAgent(() => "seen", { modelOptions });
  const handle = new Crew({ tasks: [taskFor(agent)] }).start({ inputFiles, services });
  await handle.output();
  const warnings: object[] = [];
  for await (const event of handle.events())
    if (event.type === "file_warning") warnings.push(event);
  const content = model.calls[0]?.messages.at(-1)?.content ?? "";
  return {
    parts: typeof content === "string" ? [{ type: "text", text: content }] : content,
    warnings,
    calls: model.calls.length,
  };
}

const mediaOf = ({ parts }: Sent) => parts.filter((part) => part.type !== "text");
const textOf = ({ parts }: Sent): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
const bytesIn = (part: ContentPart | undefined): Uint8Array =>
  Buffer.from(part !== undefined && "data" in part ? part.data : "", "base64");

describe("images", () => {
  const services = (bytesPerPixel?: number) => {
    const images = imagesDouble(bytesPerPixel === undefined ? {} : { bytesPerPixel });
    return { images, services: { imageEditor: new BoundImages(images) } };
  };

  it("DLV2: over the limit become JPEGs of lower and lower quality, until they fit (FT6)", async () => {
    const { images, services: own } = services(0.12);
    const found = await sent(
      { chart: file(pngBytes(8000, 8000, 5_242_881), { name: "chart.png" }) },
      ANTHROPIC,
      own,
    );
    const [part] = mediaOf(found);
    expect(part).toMatchObject({ type: "image", mediaType: "image/jpeg" });
    const made = bytesIn(part);
    expect(made.length).toBeLessThanOrEqual(5_242_880);
    expect(images.calls.map(({ quality }) => quality)).toEqual(
      [85, 80, 75, 70, 65, 60, 55, 50, 45, 40, 35, 30, 25, 20].slice(0, images.calls.length),
    );
    expect(images.calls.length).toBeGreaterThan(1);
    expect(found.warnings).toEqual([]);
  });

  it("keep their proportions, rounded down (FT9)", async () => {
    const { services: own } = services(0.001);
    const [part] = mediaOf(await sent({ wide: pngBytes(9000, 3000) }, ANTHROPIC, own));
    expect(imageSize(bytesIn(part), "image/jpeg")).toEqual({ width: 8000, height: 2666 });
  });

  it("more than twenty are all made smaller (FT10)", async () => {
    const many = (count: number): InputFiles =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `image${index}`,
          pngBytes(3000, 3000, 64 + index),
        ]),
      );
    const sizes = async (count: number) => {
      const found = await sent(many(count), ANTHROPIC, services(0.001).services);
      return mediaOf(found).map((part) =>
        imageSize(bytesIn(part), "mediaType" in part ? (part.mediaType ?? "") : ""),
      );
    };
    expect(await sizes(20)).toEqual(
      Array.from({ length: 20 }, () => ({ width: 3000, height: 3000 })),
    );
    expect(await sizes(21)).toEqual(
      Array.from({ length: 21 }, () => ({ width: 2000, height: 2000 })),
    );
  });

  it("DLV3: refused by the binding, or still too large, are sent as they are with a warning", async () => {
    const refused = await sent({ a: pngBytes(60_000, 60_000) }, ANTHROPIC, services().services);
    expect(mediaOf(refused)).toMatchObject([{ type: "image", mediaType: "image/png" }]);
    expect(refused.warnings).toMatchObject([
      { file: "file.png", actual: "9413: the area is too large", outcome: "sent" },
    ]);
    const large = await sent(
      { a: pngBytes(8000, 8000, 5_242_881) },
      ANTHROPIC,
      services(1).services,
    );
    expect(large.warnings).toMatchObject([{ actual: "it cannot be made small enough" }]);
    expect(mediaOf(large)).toMatchObject([{ mediaType: "image/png" }]);
  });

  it("DLV2: are made smaller once for all calls of a run", async () => {
    const { images, services: own } = services(0.001);
    const { agent, model } = scriptedAgent(() => "seen", { modelOptions: ANTHROPIC });
    const tasks = [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })];
    await new Crew({ tasks })
      .start({ inputFiles: { wide: pngBytes(9000, 3000) }, services: own })
      .output();
    expect(model.calls).toHaveLength(2);
    expect(images.calls).toHaveLength(1);
  });

  it("in a format unknown to the model become JPEGs; without the binding they are listed", async () => {
    const heic = file(bytesOf([0, 0, 0, 16], "ftypheic", [0, 0, 0, 0], new Uint8Array(40)), {
      name: "a.heic",
    });
    expect(mediaOf(await sent({ heic }, ANTHROPIC, services().services))).toMatchObject([
      { mediaType: "image/jpeg" },
    ]);
    const listed = await sent({ heic }, ANTHROPIC);
    expect(mediaOf(listed)).toEqual([]);
    expect(textOf(listed)).toContain("read with the tool read_file:\n- heic (a.heic, image/heic)");
  });

  it("beyond the limit of one request are listed, the first of them (FT23)", async () => {
    const images = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `i${String(index).padStart(2, "0")}`,
        pngBytes(3, 2 + index),
      ]),
    );
    const found = await sent(images, { id: "groq/llama-4", capabilities: { vision: true } });
    expect(mediaOf(found)).toHaveLength(10);
    expect(textOf(found)).toContain(
      "read_file:\n- i00 (file.png, image/png)\n- i01 (file.png, image/png)\n",
    );
    await expect(
      sent(
        { ...images, i00: file(pngBytes(3, 2), { mode: "strict" }) },
        { id: "groq/llama-4", capabilities: { vision: true } },
      ),
    ).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("PDFs with too many pages", () => {
  const long = pdfBytes(120);
  const services = { fileReaders: DOCUMENT_READERS, splitPdf };

  it("FPL5: are text in mode auto (FT11)", async () => {
    const found = await sent({ report: file(long, { name: "report.pdf" }) }, ANTHROPIC, services);
    expect(mediaOf(found)).toEqual([]);
    expect(textOf(found)).toContain('<file name="report.pdf">\nThis is page 1\n');
    expect(textOf(found)).toContain("This is page 120");
    expect(found.warnings).toMatchObject([
      { limit: "100 pages", actual: "120 pages", outcome: "text" },
    ]);
  });

  it("are split in mode chunk (FT11)", async () => {
    const found = await sent(
      { report: file(long, { name: "report.pdf", mode: "chunk" }) },
      ANTHROPIC,
      services,
    );
    const parts = mediaOf(found);
    expect(parts).toMatchObject([
      { type: "file", name: "report_chunk_0.pdf", mediaType: "application/pdf" },
      { type: "file", name: "report_chunk_1.pdf" },
    ]);
    const { pdfPages } = await import("../../../src/files/detection/pdf-pages.ts");
    expect(await Promise.all(parts.map((part) => pdfPages(bytesIn(part))))).toEqual([100, 20]);
  });

  it("are text in mode chunk without a splitter", async () => {
    const found = await sent({ report: file(long, { mode: "chunk" }) }, ANTHROPIC, {
      fileReaders: DOCUMENT_READERS,
    });
    expect(textOf(found)).toContain("This is page 120");
  });

  it("are sent as they are, with a warning, in mode warn, and without a reader (FT11)", async () => {
    for (const [mode, own] of [
      ["warn", services],
      ["auto", {}],
    ] as const) {
      const found = await sent({ report: file(long, { mode }) }, ANTHROPIC, own);
      expect(mediaOf(found)).toMatchObject([{ type: "file" }]);
      expect(found.warnings).toMatchObject([{ limit: "100 pages", outcome: "sent" }]);
    }
  });

  it("FPL5: end the task in mode strict, before its model is called", async () => {
    await expect(
      sent({ report: file(long, { name: "report.pdf", mode: "strict" }) }, ANTHROPIC, services),
    ).rejects.toMatchObject({
      code: "invalid_input",
      message: "report.pdf has 120 pages; anthropic takes 100 per PDF",
    });
  });
});

describe("a file outside the model's media types", () => {
  it("FPL1: is sent as its text, if it has a reader", async () => {
    const blind = { id: "groq/llama", capabilities: { vision: false } };
    const found = await sent(
      {
        a: file(pdfBytes(2), { name: "a.pdf" }),
        b: file(docxBytes("in Word"), { name: "b.docx" }),
      },
      blind,
      { fileReaders: DOCUMENT_READERS },
    );
    expect(textOf(found)).toContain('<file name="a.pdf">\nThis is page 1');
    expect(textOf(found)).toContain('<file name="b.docx">\nin Word');
  });

  it("DLV3: is listed with the reason, if it cannot be read", async () => {
    const broken = file(bytesOf("%PDF-1.4 nothing else"), { name: "a.pdf" });
    const found = await sent(
      { a: broken },
      { id: "groq/llama", capabilities: { vision: false } },
      { fileReaders: DOCUMENT_READERS },
    );
    expect(textOf(found)).toMatch(/\[a\.pdf \(application\/pdf\) is not shown here: .+\]/);
    expect(found.warnings).toMatchObject([{ outcome: "listed" }]);
  });

  it("is not unpacked beyond a limit (FT42)", async () => {
    const bomb = docxBytes("x".repeat(80 * 1024 * 1024));
    expect(bomb.length * 100).toBeLessThan(80 * 1024 * 1024);
    const found = await sent({ a: file(bomb, { name: "a.docx" }) }, ANTHROPIC, {
      fileReaders: DOCUMENT_READERS,
    });
    expect(textOf(found)).toMatch(
      /\[a\.docx .* is not shown here: the (?:document has|DOCX unpacks to) more than/,
    );
    expect(found.calls).toBe(1);
  });

  it("is listed with a warning (FT21)", async () => {
    const video = file(mp4Bytes("isom", 10), { name: "a.mp4" });
    const found = await sent(
      { video },
      { id: "openai/gpt-4.1", capabilities: { vision: true, pdf: true } },
    );
    expect(textOf(found)).toContain("read_file:\n- video (a.mp4, video/mp4)");
    expect(found.warnings).toMatchObject([
      { file: "a.mp4", actual: "video/mp4", outcome: "listed" },
    ]);
  });
});

describe("text", () => {
  const utf8 = (text: string) => file(new TextEncoder().encode(text), { name: "long.txt" });

  it("is cut to the available room, with a note", async () => {
    const found = await sent({ long: utf8("x".repeat(250_000)) }, ANTHROPIC);
    expect(textOf(found)).toContain("x".repeat(200_000));
    expect(textOf(found)).not.toContain("x".repeat(200_001));
    expect(textOf(found)).toContain(
      "[These are 200000 of 250000 characters; the rest is in the file long.]",
    );
  });

  it("is in pieces in mode chunk", async () => {
    const source = file(utf8("y".repeat(150_000)), { mode: "chunk" });
    const text = textOf(await sent({ long: source }, ANTHROPIC));
    expect(text).toContain('<file name="long.txt 1/2">');
    expect(text).toContain('<file name="long.txt 2/2">');
  });

  it("in UTF-16 is read as such", async () => {
    const bytes = bytesOf(
      [0xff, 0xfe],
      ...Array.from("Grüße", (letter) => little(letter.charCodeAt(0), 2)),
    );
    expect(textOf(await sent({ a: file(bytes, { name: "a.txt" }) }, ANTHROPIC))).toContain("Grüße");
  });

  it("in a form similar to a picture is not sent as an image: a hostile SVG stays text", async () => {
    const svg = "<svg onload='alert(1)'><script>1</script></svg>";
    const found = await sent(
      { a: file(new TextEncoder().encode(svg), { name: "a.png", mediaType: "image/png" }) },
      ANTHROPIC,
    );
    expect(mediaOf(found)).toEqual([]);
    expect(textOf(found)).toContain(svg);
  });
});
