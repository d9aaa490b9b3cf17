import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { MAX_OBJECT_BYTES, objectArgument, s3Request, S3_TOOL } from "./s3-object.ts";

/** Writes an object to a bucket. Repeating the write has the same result. */
export const s3Writer = catalogTool({
  ...S3_TOOL,
  className: "S3WriterTool",
  displayName: "S3 Writer Tool",
  effectClass: "X",
  effect: "idempotent",
  description:
    "Writes a text file to a bucket of Amazon S3, or of a store that speaks its protocol, in place of what is there.",
  input: () =>
    z.object({ file_path: objectArgument(), content: z.string().describe("What to write") }),
  run: async ({ file_path: path, content }, options, io) => {
    const body = new TextEncoder().encode(content);
    if (body.length > MAX_OBJECT_BYTES)
      throw serviceFailure({ code: "too_large", message: "The content is larger than 10 MiB." });
    await io.send({
      ...s3Request(path, options, io),
      method: "PUT",
      body,
      contentType: "text/plain; charset=utf-8",
      expects: "text",
    });
    return `Successfully wrote content to ${path}`;
  },
});
