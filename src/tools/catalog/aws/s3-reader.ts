import * as z from "zod";
import { toBase64 } from "../../../base/bytes.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { MAX_OBJECT_BYTES, objectArgument, s3Request, S3_TOOL } from "./s3-object.ts";

/** Size limit of non-text contents. The model gets only the name of a larger one. */
const MAX_BASE64_BYTES = 32_768;

/** Reads an object from a bucket. */
export const s3Reader = catalogTool({
  ...S3_TOOL,
  className: "S3ReaderTool",
  displayName: "S3 Reader Tool",
  effectClass: "R",
  description: "Reads a file from a bucket of Amazon S3, or of a store that speaks its protocol.",
  input: () => z.object({ file_path: objectArgument() }),
  run: async ({ file_path: path }, options, io) => {
    const { bytes, headers } = await io.send({
      ...s3Request(path, options, io),
      expects: "bytes",
      maxBytes: MAX_OBJECT_BYTES,
    });
    const untrusted = [path];
    const text = textOf(bytes);
    if (text !== undefined) return toolResult({ text, untrusted });
    const type = headers.get("content-type") ?? "application/octet-stream";
    const about = `${path} is no text: ${type}, ${bytes.length} bytes.`;
    return toolResult({
      text: bytes.length > MAX_BASE64_BYTES ? about : `${about} In base64:\n${toBase64(bytes)}`,
      untrusted,
    });
  },
});

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
