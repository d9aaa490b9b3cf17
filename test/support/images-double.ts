// The Images binding as it is documented: formats, sizes and qualities that it refuses, and JPEGs whose length depends on both.
import type { ImagesApi } from "../../src/cloudflare/images-binding.ts";
import { imageSize } from "../../src/files/detection/image-size.ts";
import { mediaTypeOf } from "../../src/files/detection/media-type.ts";
import { jpegBytes } from "./sample-files.ts";

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/heic"];
const MAX_INPUT_BYTES = 70 * 1024 * 1024;
const MAX_INPUT_AREA = 100_000_000;
const MAX_OUTPUT_SIDE = 12_000;

type Call = { readonly width: number; readonly height: number; readonly quality: number };

/** `bytesPerPixel` is what a JPEG of quality 100 takes. */
export function imagesDouble({ bytesPerPixel = 0.1 } = {}): ImagesApi & {
  readonly calls: readonly Call[];
} {
  const calls: Call[] = [];
  return {
    calls,
    input(stream) {
      let size: { readonly width: number; readonly height: number } | undefined;
      const handle: ReturnType<ImagesApi["input"]> = {
        transform: ({ width, height }) => {
          size = { width, height };
          return handle;
        },
        output: async ({ format, quality, background }) => {
          const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
          const type = mediaTypeOf(bytes, { size: bytes.length });
          if (!TYPES.includes(type)) throw new Error("9412: the input is no image");
          if (bytes.length > MAX_INPUT_BYTES) throw new Error("9402: the input is too large");
          const own = imageSize(bytes, type) ?? { width: 10, height: 10 };
          if (own.width * own.height > MAX_INPUT_AREA)
            throw new Error("9413: the area is too large");
          const { width, height } = size ?? own;
          if (Math.max(width, height) > MAX_OUTPUT_SIDE)
            throw new Error("9421: a side is too long");
          if (!(quality >= 1 && quality <= 100)) throw new Error("9401: the quality is wrong");
          if (format !== "image/jpeg" || !/^#[0-9a-f]{6}$/.test(background))
            throw new Error("9401: wrong options");
          calls.push({ width, height, quality });
          const length = Math.ceil((width * height * bytesPerPixel * quality) / 100);
          const made = jpegBytes(width, height, Math.max(10, length - 100));
          return { image: () => new Response(new Uint8Array(made)).body ?? new ReadableStream() };
        },
      };
      return handle;
    },
  };
}
