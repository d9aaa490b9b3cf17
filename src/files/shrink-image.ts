import type { ImageSize } from "./detection/image-size.ts";
import type { RunFile } from "./file-ref.ts";
import type { ImageEditor } from "./image-editor.ts";
import type { ShrinkGoal } from "./planned-file.ts";

const BEST_QUALITY = 85;
const WORST_QUALITY = 20;
const QUALITY_STEP = 5;

export type ShrunkImage = { readonly bytes: Uint8Array; readonly size: ImageSize | undefined };

/** Returns the image as a JPEG within the goal. Undefined if no attempt reaches it. */
export async function shrinkImage(
  editor: ImageEditor,
  {
    bytes,
    file,
    goal,
  }: { readonly bytes: Uint8Array; readonly file: RunFile; readonly goal: ShrinkGoal },
): Promise<ShrunkImage | undefined> {
  const size = sizeWithin(file, goal.maxSide);
  for (let quality = BEST_QUALITY; quality >= WORST_QUALITY; quality -= QUALITY_STEP) {
    const made = await editor.toJpeg(bytes, {
      quality,
      ...(size === undefined ? undefined : { size }),
    });
    if (made.length <= (goal.maxBytes ?? Number.POSITIVE_INFINITY)) return { bytes: made, size };
  }
  return undefined;
}

/**
 * Returns the largest size in the same proportions with no side longer than `maxSide`. Undefined for an image of
 * unknown size.
 */
function sizeWithin(
  { width, height }: Pick<RunFile, "width" | "height">,
  maxSide = Number.POSITIVE_INFINITY,
): ImageSize | undefined {
  if (width === undefined || height === undefined) return undefined;
  const longest = Math.max(width, height);
  if (longest <= maxSide) return { width, height };
  const scaled = (side: number): number => Math.max(1, Math.floor((side * maxSide) / longest));
  return { width: scaled(width), height: scaled(height) };
}
