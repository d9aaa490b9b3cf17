import type { ImageSize } from "./detection/image-size.ts";

/** Makes images smaller. */
export interface ImageEditor {
  /**
   * Converts an image to JPEG, in exactly this size if there is one. Transparent pixels become white. Throws for
   * unreadable images.
   */
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
    /** Shrinks images beyond a provider's limits. @default such images are sent unchanged, with a warning */
    readonly imageEditor?: ImageEditor | undefined;
  }
}
