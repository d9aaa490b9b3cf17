// Headers documented by operations, each once: the description of the API uses their texts and schemas, and pages of
// other origins may read the response headers among them.
import type { JsonObject } from "../base/json.ts";

/** Documentation of a header. */
export type HeaderText = {
  readonly description: string;
  /** @default any text */
  readonly schema?: JsonObject;
};

/** Headers of requests. */
export const REQUEST_HEADERS = {
  "A2A-Version": {
    description: "The version of A2A that the client speaks.",
  },
  "Idempotency-Key": {
    description:
      "Sets the id of a run, or of an answer to a question: a repeated request has the same result.",
  },
  "If-Match": {
    description:
      "Version to replace, in quotes, from `ETag`, or `*` for any. Returns 412 if the stored version differs.",
    schema: { type: "string", pattern: '^(\\*|"\\d{1,15}")$' },
  },
  "If-None-Match": {
    description: "`*` creates only: returns 412 if the name is taken.",
    schema: { type: "string", pattern: "^\\*$" },
  },
  "Last-Event-ID": {
    description: "The last `seq` that the client has received.",
  },
  Range: {
    description: "One range of bytes: `bytes=0-1023`.",
  },
  "Tus-Resumable": {
    description: "The version of tus.",
    schema: { type: "string", pattern: "^1\\.0\\.0$" },
  },
  "Upload-Length": {
    description: "The length of the whole file, in bytes: begins an upload in several requests.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  "Upload-Offset": {
    description: "Start of the piece, in bytes.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  Prefer: {
    description: "`wait=N` waits up to N seconds, at most 60, for the run to finish or to wait.",
  },
} as const satisfies Readonly<Record<string, HeaderText>>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Response headers used by clients. */
export const ANSWER_HEADERS = {
  "A2A-Extensions": { description: "The extensions of A2A that were used." },
  Allow: { description: "Methods of the path." },
  "Content-Disposition": { description: "The name to store it under." },
  "Content-Range": { description: "Range of the bytes in the body." },
  ETag: { description: "Version of the answer, in quotes." },
  "Edgecrew-Token": { description: "Token for the run, if requested." },
  Location: { description: "Path of the created resource." },
  "MCP-Protocol-Version": { description: "The revision of the Model Context Protocol." },
  "Mcp-Session-Id": { description: "The session, of revisions up to 2025-11-25." },
  "Preference-Applied": { description: "Applied parts of `Prefer`." },
  "Retry-After": {
    description: "Seconds to wait before a repeated request.",
    schema: { type: "integer", minimum: 0 },
  },
  "Tus-Resumable": { description: "The version of tus." },
  "Tus-Version": { description: "Supported versions of tus." },
  "Upload-Expires": { description: "Expiry of an unfinished upload." },
  "Upload-Length": { description: "The length of the whole file, in bytes." },
  "Upload-Offset": { description: "Number of received bytes." },
  "WWW-Authenticate": { description: "Authentication scheme and needed scope." },
  "X-Edgecrew-Ignored": {
    description: "Ignored fields of the request, separated by commas.",
  },
  "X-Should-Retry": {
    description: "`false`: a repeated request gets the same answer.",
    schema: { type: "string", enum: ["false"] },
  },
  "X-Request-ID": { description: "Id of the request: the caller's, or a new one." },
} as const satisfies Readonly<Record<string, HeaderText>>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** A header of a request as an operation has it. */
export type OperationHeader =
  | RequestHeader
  | {
      readonly name: RequestHeader;
      /** The request is refused without it. @default false */
      readonly required?: boolean;
      /** @default schema of the table */
      readonly schema?: JsonObject;
    };
