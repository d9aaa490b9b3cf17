// Images binding: reduces images above a provider's limits.
import { EngineError } from "../base/error.ts";
import type { ImageEditor, JpegOptions } from "../files/image-editor.ts";

/** Used part of Cloudflare's `ImagesBinding`. */
export interface ImagesApi {
  input(stream: ReadableStream<Uint8Array>): ImageHandle;
}

interface ImageHandle {
  transform(options: {
    readonly width: number;
    readonly height: number;
    readonly fit: "squeeze";
  }): ImageHandle;
  output(options: {
    readonly format: "image/jpeg";
    readonly quality: number;
    readonly background: string;
  }): Promise<{ image(): ReadableStream<Uint8Array> }>;
}

/**
 * Returns the editor of the binding with this name; undefined if it is unbound. Fails with `invalid_definition` for any
 * other object.
 */
export function imageEditorOf(env: object, name = "IMAGES"): ImageEditor | undefined {
  const bound = (env as Readonly<Record<string, unknown>>)[name];
  if (bound === undefined) return undefined;
  if (typeof bound === "object" && bound !== null && "input" in bound)
    return new BoundImages(bound as ImagesApi);
  throw new EngineError(
    "invalid_definition",
    `${name} must be a binding of Images in wrangler.toml`,
  );
}

export class BoundImages implements ImageEditor {
  readonly #images: ImagesApi;

  constructor(images: ImagesApi) {
    this.#images = images;
  }

  async toJpeg(bytes: Uint8Array, { quality, size }: JpegOptions): Promise<Uint8Array> {
    const whole = this.#images.input(streamOf(bytes));
    // The size has the image's own proportions, apart from rounding, so squeezing neither crops nor pads.
    const sized = size === undefined ? whole : whole.transform({ ...size, fit: "squeeze" });
    const result = await sized.output({ format: "image/jpeg", quality, background: "#ffffff" });
    return new Uint8Array(await new Response(result.image()).arrayBuffer());
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Response(new Uint8Array(bytes)).body ?? new ReadableStream();
}
