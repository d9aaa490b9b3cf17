import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readWorkspaceFile } from "../files/workspace-file.ts";
import { pageAddress } from "../web/page-address.ts";
import { bindingFailure, bound } from "./bindings.ts";

const NEED = { tool: "to_markdown", name: "AI", settings: '[ai] binding = "AI"' };
const MAX_BYTES = 25 << 20;

type Source = {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
};

/** Converts a document or an image to Markdown, with Cloudflare's Workers AI. */
export const toMarkdown = catalogTool({
  className: "ToMarkdownTool",
  otherNames: ["to_markdown"],
  displayName: "to_markdown",
  group: "documents",
  service: "Workers AI",
  effectClass: "R",
  description:
    "Reads a document or an image as Markdown: PDF, Office, HTML, images. Needs the path of a file, or an address.",
  input: () =>
    z.object({
      file_path: z.string().min(1).optional().describe("Path of a file in the workspace"),
      url: z.string().min(1).optional().describe("Address of the document"),
    }),
  options: () => z.object({}),
  fixable: ["file_path", "url"],
  takes: { path: "file_path" },
  bindings: [NEED.name],
  check: ({ markdown }) => void bound(markdown, NEED),
  untrusted: true,
  run: async ({ file_path: path, url: listed }, _, io) => {
    const url = listed === undefined ? undefined : pageAddress(listed);
    const converter = bound(io.services.markdown, NEED);
    const { name, bytes, type } = await sourceOf(io, { path, url });
    const converted = await converter
      .toMarkdown({ name, blob: new Blob([bytes], { type }) })
      .catch((error: unknown) => {
        throw bindingFailure(error, { service: "Workers AI" });
      });
    if (converted.format !== "markdown")
      throw serviceFailure({
        code: "bad_request",
        message: `Workers AI could not read ${name}: ${converted.error.slice(0, 500)}`,
      });
    const { data: text } = converted;
    return toolResult({
      text: text === "" ? `${name} is empty.` : text,
      data: { name, markdown: text },
      ...(url === undefined ? undefined : { sources: [{ url, title: name }] }),
      untrusted: [url === undefined ? name : new URL(url).host],
    });
  },
});

async function sourceOf(
  io: ToolIo,
  { path, url }: { readonly path: string | undefined; readonly url: string | undefined },
): Promise<Source> {
  if (path !== undefined) {
    const { bytes, mediaType } = await readWorkspaceFile(io, path);
    return { name: path.split("/").at(-1) ?? path, bytes, type: mediaType };
  }
  if (url === undefined)
    throw serviceFailure({ code: "bad_request", message: "Say what to read: file_path, or url." });
  const answer = await io.read(url, { maxBytes: MAX_BYTES });
  if (answer.status >= 400)
    throw serviceFailure({
      code: answer.status === 404 ? "not_found" : "unavailable",
      message: `${new URL(answer.url).host} answered ${answer.status}.`,
    });
  const type = answer.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
  const name = new URL(answer.url).pathname.split("/").at(-1) || "document.html";
  return { name, bytes: new Uint8Array(answer.bytes), type };
}
