import type { JsonValue } from "../base/json.ts";
import type { Transport } from "./transport.ts";
import { sendFile } from "./send-file.ts";
import { namedPath } from "./named-path.ts";

/** Value of an input: JSON, with files as possible values. */
export type InputValue =
  | JsonValue
  | Blob
  | readonly InputValue[]
  | { readonly [name: string]: InputValue };

/** Values for the inputs of a definition. A `File` or `Blob` is uploaded first, and replaced by `{ $file }`. */
export type Inputs = { readonly [name: string]: InputValue };

/**
 * Uploads the files in the body and returns the body with references to them. The same run id and place yield the same
 * file.
 */
export async function withUploads<Body extends { readonly id: string }>(
  transport: Transport,
  body: Body,
): Promise<Body> {
  const placed = async (value: unknown, path: string): Promise<unknown> => {
    if (typeof value !== "object" || value === null) return value;
    if (isBlob(value)) {
      const { id } = await sendFile(transport, {
        body: value,
        mediaType: value.type || "application/octet-stream",
        query: { name: (value as { name?: string }).name },
        key: `${body.id}${path}`,
      });
      return { $file: id };
    }
    const fields = Object.entries(value).map(async ([name, each]) => [
      name,
      await placed(each, namedPath(path, name)),
    ]);
    const all = (await Promise.all(fields)) as [string, unknown][];
    return Array.isArray(value) ? all.map(([, each]) => each) : Object.fromEntries(all);
  };
  const { inputs, inputFiles } = body as {
    readonly inputs?: unknown;
    readonly inputFiles?: unknown;
  };
  return {
    ...body,
    ...(inputs === undefined ? undefined : { inputs: await placed(inputs, "/inputs") }),
    ...(inputFiles === undefined ? undefined : { inputFiles: await placed(inputFiles, "/files") }),
  };
}

/** Also recognizes blobs of other frames of the page. */
function isBlob(value: object): value is Blob {
  return "arrayBuffer" in value && "size" in value && "type" in value;
}
