// Answers with the bytes of a file. Whatever a file is, browsers store it and never show or run it.
import { EngineError } from "../../base/error.ts";
import { HttpError } from "../../parts/problem.ts";
import type { FileRange } from "../file-store.ts";

export type ServedFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly open: (range?: FileRange) => Promise<ReadableStream<Uint8Array>>;
};

/** The whole file, one range of it, or that it has not changed. RFC 9110 sections 13 and 14. */
export async function fileResponse(request: Request, file: ServedFile): Promise<Response> {
  const etag = `"${file.sha256}"`;
  const headers = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-disposition": disposition(file.name),
    "content-security-policy": "sandbox; default-src 'none'",
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

/** Undefined for the whole file: also for several ranges, and for what is no range at all. */
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

/** RFC 6266: the name as it is, and one that every client reads. */
function disposition(name: string): string {
  const plain = name.replace(/[^\w.\- ]/g, "_").slice(0, 120);
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Throws `not_found`. */
export function noFile(id: string): EngineError {
  return new EngineError("not_found", `there is no file ${JSON.stringify(id)}`);
}
