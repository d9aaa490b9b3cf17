// Responses with the bytes of a file.
//
//   FRS1. Browsers save a file of any type and never run it.
//   FRS2. A signed-in person can view types that cannot run: images, PDFs and plain texts, by their bytes.
import { EngineError } from "../../base/error.ts";
import type { CallerVia } from "../../parts/caller.ts";
import type { Operation } from "../../parts/operation.ts";
import { HttpError } from "../../parts/problem.ts";
import type { FileRange } from "../file-store.ts";

/** Responses with a file. */
export const FILE_ANSWERS = {
  200: { description: "Its bytes", types: ["*/*"], headers: ["ETag", "Content-Disposition"] },
  206: {
    description: "The range",
    types: ["*/*"],
    headers: ["ETag", "Content-Disposition", "Content-Range"],
  },
  304: {
    description: "Unchanged since the client's copy",
    headers: ["ETag", "Content-Disposition"],
  },
} as const satisfies Operation["answers"];

export type ServedFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly open: (range?: FileRange) => Promise<ReadableStream<Uint8Array>>;
};

/** True if a person asks, in a signed-in browser. */
export function isPage(via: CallerVia): boolean {
  return via === "session" || via === "access";
}

/** Excludes HTML, SVG and other XML, as they may contain scripts. */
const SHOWN: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "text/plain",
  "text/csv",
  "text/markdown",
  "application/json",
  "application/pdf",
]);
const PDF = "application/pdf";
/** Names of pages. Such files are sent as attachments, even if their bytes are plain text. */
const CALLED_A_PAGE = /\.(x?html?|svg|xml|mht(ml)?)$/i;

/** Responds with the whole file, one range of it, or 304. RFC 9110 sections 13 and 14. `toPage`: see `isPage`. */
export async function fileResponse(
  request: Request,
  file: ServedFile,
  { toPage = false }: { readonly toPage?: boolean } = {},
): Promise<Response> {
  const type = file.mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  const isShown = toPage && SHOWN.has(type) && !CALLED_A_PAGE.test(file.name);
  const etag = `"${file.sha256}"`;
  const headers = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-disposition": disposition(file.name, isShown ? "inline" : "attachment"),
    // Chromium shows no PDF in a sandbox; its viewer is a page of its own.
    "content-security-policy":
      isShown && type === PDF
        ? "default-src 'none'; object-src 'self'; frame-ancestors 'self'"
        : "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  });
  if (namesTag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  headers.set("content-type", file.mediaType);
  const range = requestedRange(request, { etag, bytes: file.bytes });
  const { offset, length } = range ?? { offset: 0, length: file.bytes };
  headers.set("content-length", String(length));
  if (range !== undefined)
    headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${file.bytes}`);
  const status = range === undefined ? 200 : 206;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  return new Response(await file.open(range), { status, headers });
}

/** Undefined for the whole file, also for several ranges and for an invalid one. */
function requestedRange(
  { headers }: Request,
  { etag, bytes }: { readonly etag: string; readonly bytes: number },
): { readonly offset: number; readonly length: number } | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("range") ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const condition = headers.get("if-range");
  if (condition !== null && condition !== etag) return undefined;
  const offset = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== "" && last !== "" && Number(last) < offset) return undefined;
  if (offset >= bytes || end < offset || (first === "" && Number(last) === 0))
    throw new HttpError(
      "invalid_input",
      `the range must begin within the file, which has ${bytes} bytes`,
      { status: 416, headers: { "content-range": `bytes */${bytes}` } },
    );
  return { offset, length: end - offset + 1 };
}

function namesTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/** RFC 6266: the exact name, and a simplified one for older clients. */
function disposition(name: string, form: "inline" | "attachment"): string {
  const plain = name.replace(/[^\w.\- ]/g, "_").slice(0, 120);
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${form}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Throws `not_found`. */
export function noFile(id: string): EngineError {
  return new EngineError("not_found", `there is no file ${JSON.stringify(id)}`);
}
