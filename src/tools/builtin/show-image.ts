import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { networkOf } from "../../events/run-network.ts";
import { RunScope } from "../../events/run-scope.ts";
import { isFileId } from "../../files/file-id.ts";
import { mediaTypeOf } from "../../files/detection/media-type.ts";
import { readBytes } from "../../files/read-bytes.ts";
import { workspaceOf } from "../../files/workspace.ts";
import { checkOutboundUrl } from "../../security/outbound.ts";
import { toolFailure, type ToolFailure } from "../tool-failure.ts";
import { toolResult, type ResultImage, type ToolResult } from "../tool-result.ts";

/** Returns the image for the next message to a model with image input. */
export async function showImage({
  image_url: named,
  action = "Look at this image.",
}: AddedImage): Promise<ToolResult | ToolFailure> {
  try {
    const image = await imageAt(named);
    return toolResult({ text: action, images: [image] });
  } catch (error) {
    if (!EngineError.is(error) || !REFUSALS.has(error.code)) throw error;
    const code = error.code === "not_found" ? "not_found" : "refused";
    return toolFailure({ code, message: error.message });
  }
}

const REFUSALS: ReadonlySet<string> = new Set(["invalid_input", "not_found"]);

/**
 * Loads the image. Fails with `not_found`, and with `invalid_input` for files of other kinds and for forbidden
 * addresses.
 */
async function imageAt(named: string): Promise<ResultImage> {
  const scope = RunScope.current();
  if (scope === undefined) throw new EngineError("internal", "there is no run to show an image to");
  if (/^https?:\/\//i.test(named)) {
    const { href: url } = checkOutboundUrl(
      named,
      "the address",
      networkOf(scope.services).outbound,
    );
    return { url };
  }
  const at = isFileId(named) ? { id: named } : { workspace: named };
  const { bytes, mediaType: declared } = await readBytes(scope, at);
  const mediaType = mediaTypeOf(bytes, { name: named, declared, size: bytes.length });
  if (!mediaType.startsWith("image/"))
    throw new EngineError("invalid_input", `${preview(named)} is no image but ${mediaType}`);
  if (!isFileId(named)) return { path: named, mediaType };
  const path = `images/${named}`;
  await workspaceOf(scope).write(path, bytes, mediaType);
  return { path, mediaType };
}

export type AddedImage = { readonly image_url: string; readonly action?: string | undefined };
