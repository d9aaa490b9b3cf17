import { digestHex } from "../../base/bytes.ts";
import type { FileFacts } from "../file-ref.ts";
import { imageSize } from "./image-size.ts";
import { kindOf } from "./kind-of.ts";
import { mediaSeconds } from "./media-seconds.ts";
import { mediaTypeOf, type FileClaims } from "./media-type.ts";
import { pdfPages } from "./pdf-pages.ts";

/** Facts of a file, from its complete bytes. */
export async function fileFacts(
  bytes: Uint8Array,
  claims: Omit<FileClaims, "size"> = {},
): Promise<FileFacts & { readonly bytes: number; readonly sha256: string }> {
  const mediaType = mediaTypeOf(bytes, { ...claims, size: bytes.length });
  return {
    mediaType,
    kind: kindOf(mediaType),
    bytes: bytes.length,
    sha256: await digestHex(bytes),
    ...(await measured(bytes, mediaType)),
  };
}

/** Reads the measures in a file's header. Pages and seconds need the whole file. */
export async function measured(
  bytes: Uint8Array,
  mediaType: string,
): Promise<Pick<FileFacts, "width" | "height" | "pages" | "seconds">> {
  switch (kindOf(mediaType)) {
    case "image":
      return imageSize(bytes, mediaType) ?? {};
    case "pdf": {
      const pages = await pdfPages(bytes);
      return pages === undefined ? {} : { pages };
    }
    case "audio":
    case "video": {
      const seconds = mediaSeconds(bytes, mediaType);
      return seconds === undefined ? {} : { seconds };
    }
    default:
      return {};
  }
}
