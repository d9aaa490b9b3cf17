import type { ImageSize } from "./detection/image-size.ts";

/** Makes images smaller. */
export interface ImageEditor {
  /** The image as JPEG, in exactly this size if there is one; what was transparent is white. Throws for what it cannot read. */
  toJpeg(bytes: Uint8Array, options: JpegOptions): Promise<Uint8Array>;
}

export type JpegOptions = {
  /** 1 to 100. */
  readonly quality: number;
  /** @default its own */
  readonly size?: ImageSize;
};

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Makes images smaller that a provider would refuse. @default nobody does: they are sent as they are, with a warning */
    readonly imageEditor?: ImageEditor | undefined;
  }
}
