// Images that tools give: shown to a model that sees in the user's next message, and only named to others.
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

/** The images of some calls as parts of a user's message, behind a text that says whose they are; undefined where there are none. */
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

/** Whether a model is shown images. */
export function isShownImages({ capabilities }: Pick<LanguageModel, "capabilities">): boolean {
  return capabilities.vision === true;
}

/** The text of a call for a model that sees nothing: with the names of its images. */
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

/** An image whose bytes are nobody's yet: what it is, is found out when it is sent. One that cannot be had is only named. */
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
