import { digestHex, fromBase64 } from "../base/bytes.ts";
import { workspaceOf } from "../files/workspace.ts";
import { endingOf } from "../files/detection/extensions.ts";
import type { FileOwner } from "../files/read-bytes.ts";
import type { ResultExtras, ResultImage } from "./tool-result.ts";

/**
 * Returns the extras of a result in recorded form: inline images are stored in the run's workspace and replaced by
 * their paths. A run without a file store keeps them inline.
 */
export async function withKeptImages<Extras extends ResultExtras | undefined>(
  owner: FileOwner,
  extras: Extras,
): Promise<Extras | (ResultExtras & { readonly images: readonly ResultImage[] })> {
  const { images } = extras ?? {};
  if (images === undefined || owner.services.files === undefined) return extras;
  const kept: ResultImage[] = [];
  for (const image of images) kept.push("data" in image ? await keptImage(owner, image) : image);
  return { ...extras, images: kept };
}

async function keptImage(
  owner: FileOwner,
  { data, mediaType }: Extract<ResultImage, { readonly data: string }>,
): Promise<ResultImage> {
  const bytes = fromBase64(data);
  const digest = await digestHex(bytes);
  const path = `images/${digest.slice(0, 16)}.${endingOf(mediaType)}`;
  await workspaceOf(owner).write(path, bytes, mediaType);
  return { path, mediaType };
}
