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
    description: "Sets the run's id: a repeated key answers with the same run.",
  },
  "If-Match": {
    description:
      "The version that is replaced, in quotes, as `ETag` has it, or `*` for any; another one is there: 412.",
    schema: { type: "string", pattern: '^(\\*|"\\d{1,15}")$' },
  },
  "If-None-Match": {
    description: "`*`: only if nothing is stored under the name, otherwise 412.",
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
    description: "Where the piece begins, in bytes.",
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
  Allow: { description: "The methods that the path takes." },
  "Content-Disposition": { description: "The name to store it under." },
  "Content-Range": { description: "Which bytes of it these are." },
  ETag: { description: "The version of what was answered, in quotes." },
  "Edgecrew-Token": { description: "A token for the run, where the request asked for one." },
  Location: { description: "The path of what was made." },
  "MCP-Protocol-Version": { description: "The revision of the Model Context Protocol." },
  "Mcp-Session-Id": { description: "The session, of revisions up to 2025-11-25." },
  "Preference-Applied": { description: "What of `Prefer` was followed." },
  "Retry-After": {
    description: "Seconds after which the request may be repeated.",
    schema: { type: "integer", minimum: 0 },
  },
  "Tus-Resumable": { description: "The version of tus." },
  "Tus-Version": { description: "The versions of tus that are spoken." },
  "Upload-Expires": { description: "When an unfinished upload is dropped." },
  "Upload-Length": { description: "The length of the whole file, in bytes." },
  "Upload-Offset": { description: "How many bytes have arrived." },
  "WWW-Authenticate": { description: "How to ask, and with which scope." },
  "X-Edgecrew-Ignored": {
    description: "Fields of the request that were not used, with commas between them.",
  },
  "X-Should-Retry": {
    description: "`false`: the same request would be answered in the same way again.",
    schema: { type: "string", enum: ["false"] },
  },
  "X-Request-ID": { description: "The id of the request: that of the caller, or a new one." },
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
