// Images from tools: in the user's next message for a model with vision, only named for other models.
import { typeOfName } from "../../files/detection/extensions.ts";
import { filePart } from "../../files/file-parts.ts";
import type { FilePlace } from "../../files/file-ref.ts";
import { sentName } from "../../llm/content.ts";
import type { ContentPart, LanguageModel } from "../../llm/language-model.ts";
import type { ResultImage } from "../../tools/tool-result.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

/** The result of a call with images, and the tool's name. */
export type PicturedReply = {
  readonly toolName: string;
  readonly images?: readonly ResultImage[] | undefined;
};

/**
 * Returns the images of some calls as parts of a user message, behind a text that names their tools; undefined without
 * images.
 */
export function imageParts(
  replies: readonly PicturedReply[],
  { slices }: Pick<Prompts, "slices">,
): readonly ContentPart[] | undefined {
  const parts = replies.flatMap(({ toolName, images = [] }): readonly ContentPart[] => {
    if (images.length === 0) return [];
    const text = fill(slices.toolImages, { tool: toolName, images: imageNames(images) });
    return [{ type: "text", text }, ...images.map(imagePart)];
  });
  return parts.length === 0 ? undefined : parts;
}

/** True if the model has vision. */
export function isShownImages({ capabilities }: Pick<LanguageModel, "capabilities">): boolean {
  return capabilities.vision === true;
}

/** Adds the names of a call's images to its text, for a model without vision. */
export function namingImages(
  text: string,
  images: readonly ResultImage[] | undefined,
  { slices }: Pick<Prompts, "slices">,
): string {
  if (images === undefined || images.length === 0) return text;
  return `${text}\n\n${fill(slices.toolImagesNotShown, { images: imageNames(images) })}`;
}

function imageNames(images: readonly ResultImage[]): string {
  return images.map(nameOf).join(", ");
}

function nameOf(image: ResultImage): string {
  if ("path" in image) return image.path;
  return "url" in image ? image.url : image.mediaType;
}

/** Returns an image of unknown type; its type is detected when it is sent. An unavailable image is only named. */
function imagePart(image: ResultImage): ContentPart {
  if ("data" in image) return { type: "image", data: image.data, mediaType: image.mediaType };
  const at: FilePlace = "path" in image ? { workspace: image.path } : { url: image.url };
  const name = nameOf(image);
  const declared = "mediaType" in image ? image.mediaType : typeOfName(name.split(/[?#]/)[0] ?? "");
  return filePart({
    key: name,
    name: sentName(name.slice(name.lastIndexOf("/") + 1)),
    mediaType: declared ?? "image/png",
    kind: "image",
    at,
    optional: true,
  });
}
