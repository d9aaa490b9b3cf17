import { mediaTypeOf } from "../../../files/detection/media-type.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readWorkspaceFile } from "../files/workspace-file.ts";

export const SERVICE = "Contextual AI";
export const CONTEXTUAL = "https://api.contextual.ai/v1";

/** Shared properties of this vendor's tools. */
export const CONTEXTUAL_TOOL = {
  group: "documents",
  service: SERVICE,
  hosts: ["api.contextual.ai"],
  env: [
    {
      name: "CONTEXTUAL_API_KEY",
      description: "Key of Contextual AI",
      option: "apiKey",
      send: { header: "Authorization", prefix: "Bearer " },
    },
  ],
} as const;

/** Creates a form with a file of the workspace in it. */
export async function formWith(
  io: ToolIo,
  { field, path, fields = {} }: FormFile,
): Promise<FormData> {
  const { bytes, name, mediaType: declared } = await readWorkspaceFile(io, path);
  const type = mediaTypeOf(bytes, { name, declared, size: bytes.length });
  const form = new FormData();
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) form.set(key, String(value));
  form.set(field, new File([bytes], name.slice(name.lastIndexOf("/") + 1), { type }));
  return form;
}

type FormFile = {
  readonly field: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string | boolean | undefined>>;
};
