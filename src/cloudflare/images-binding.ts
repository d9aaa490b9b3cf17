// The Images binding: makes images smaller that a provider would refuse.
import { EngineError } from "../base/error.ts";
import type { ImageEditor, JpegOptions } from "../files/image-editor.ts";

/** The part of Cloudflare's `ImagesBinding` that is used. */
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

/** The editor behind the binding of this name; undefined where nothing is bound. Throws `invalid_definition` for another thing. */
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
    // The size has the image's own proportions, but for what was rounded off: nothing is cut or added for that.
    const sized = size === undefined ? whole : whole.transform({ ...size, fit: "squeeze" });
    const result = await sized.output({ format: "image/jpeg", quality, background: "#ffffff" });
    return new Uint8Array(await new Response(result.image()).arrayBuffer());
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Response(new Uint8Array(bytes)).body ?? new ReadableStream();
}
