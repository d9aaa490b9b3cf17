// What a deployment has for files on their way to models, with the platform's own bindings.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { zlibSync } from "fflate";
import { imageEditorOf } from "../../src/cloudflare/images-binding.ts";
import { D1UploadCache } from "../../src/cloudflare/stores/d1-upload-cache.ts";
import { imageSize } from "../../src/files/detection/image-size.ts";
import { ofLength } from "../../src/llm/multipart.ts";
import { describeUploadCache } from "../support/upload-cache.suite.ts";

describeUploadCache({
  name: "in D1",
  open: async (clock) => {
    await env.DB.exec("DELETE FROM file_uploads");
    return {
      ours: new D1UploadCache(env.DB, "a", clock),
      theirs: new D1UploadCache(env.DB, "b", clock),
    };
  },
});

it("the Images binding makes images smaller, as JPEG on white", async () => {
  const editor = imageEditorOf(env);
  if (editor === undefined) throw new Error("IMAGES is not bound");
  const made = await editor.toJpeg(png(90, 30), { quality: 80, size: { width: 30, height: 10 } });
  expect([...made.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(imageSize(made, "image/jpeg")).toEqual({ width: 30, height: 10 });
  await expect(editor.toJpeg(new Uint8Array([1, 2, 3]), { quality: 80 })).rejects.toThrow(/./);
});

it("a stream passes on its length", async () => {
  const bytes = new Uint8Array(1000).fill(7);
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const request = new Request("https://example.com", {
    method: "POST",
    body: ofLength(stream, 1000),
  });
  expect((await request.arrayBuffer()).byteLength).toBe(1000);
});

/** A red PNG that everybody can read. */
function png(width: number, height: number): Uint8Array {
  const rows = new Uint8Array((1 + width * 3) * height);
  for (let at = 0; at < rows.length; at++)
    rows[at] = at % (1 + width * 3) === 0 ? 0 : at % 3 === 1 ? 255 : 0;
  const number = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const chunk = (type: string, data: Uint8Array): number[] => {
    const named = Array.from({ length: 4 }, (_, at) => type.charCodeAt(at));
    return [...number(data.length), ...named, ...data, ...number(crc32([...named, ...data]))];
  };
  return Uint8Array.from([
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    ...chunk("IHDR", Uint8Array.from([...number(width), ...number(height), 8, 2, 0, 0, 0])),
    ...chunk("IDAT", zlibSync(rows)),
    ...chunk("IEND", new Uint8Array()),
  ]);
}

function crc32(bytes: readonly number[]): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
