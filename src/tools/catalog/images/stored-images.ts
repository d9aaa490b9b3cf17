import { fingerprint } from "../../../base/hash.ts";
import { endingOf } from "../../../files/detection/extensions.ts";
import { mediaTypeOf } from "../../../files/detection/media-type.ts";
import type { WorkspaceFile } from "../../../files/workspace.ts";
import { badResponse } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { inWorkspace } from "../files/workspace-file.ts";

/**
 * Saves a service's image in the workspace, under a name specific to this call. Throws a failure if the bytes are not
 * an image.
 */
export async function storeImage(
  io: ToolIo,
  bytes: Uint8Array,
  { service, index }: { readonly service: string; readonly index: number },
): Promise<WorkspaceFile> {
  const mediaType = mediaTypeOf(bytes, { size: bytes.length });
  if (!mediaType.startsWith("image/")) throw badResponse(service, "it made no image");
  const name = `${fingerprint(io.context.idempotencyKey)}-${index + 1}`;
  const path = `images/${name}.${endingOf(mediaType)}`;
  return inWorkspace(() => io.files.write(path, bytes, mediaType));
}

/** Returns the address of a file of the workspace: below the Worker's API if runs have one, else its path. */
export function addressOfImage(io: ToolIo, { path }: WorkspaceFile): string {
  const isServed = io.services.workspaces !== undefined;
  return isServed ? `/runs/${io.scope.runId}/files/${encodeURI(path)}` : path;
}
