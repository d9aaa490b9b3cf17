import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";

type QueryValue = string | number | boolean | undefined | null;

/** Request of a tool to its service. */
export type ToolRequest = {
  /** @default "GET", with a body "POST" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  readonly url: string;
  /** Query parameters added to the URL. Undefined entries are left out, lists are repeated. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Leaves out the headers of the tool's options, which are for other requests. @default false */
  readonly withoutOptionHeaders?: boolean;
  /** Body: JSON without its undefined fields; or bytes, a form or a text, unchanged. */
  readonly body?: JsonValue | object | Uint8Array | FormData | URLSearchParams;
  /** Media type of a body of bytes or text. */
  readonly contentType?: string;
  /** @default "json" */
  readonly expects?: "json" | "text" | "bytes";
  /** Maximum size of the response, in bytes. @default 4 MiB of JSON, 5 MiB of text, 25 MiB of bytes */
  readonly maxBytes?: number;
  /** Timeout for the headers and the body of the response together. @default the tool's, else 30_000 */
  readonly timeoutMs?: number;
  /** Successful statuses, beside 200 to 299. */
  readonly accepts?: readonly number[];
  /** Key identifying repetitions of a request. Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  /** Adds headers computed from the whole request, such as a signature. */
  readonly sign?: (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
};

/** Input of a signature. */
export type SignableRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array | string | undefined;
  /** Time of the attempt, in milliseconds since the epoch. */
  readonly nowMs: number;
};

/** Returns an idempotency key valid as a header. Step keys may have any letters. */
export function keyHeader(idempotencyKey: string): string {
  return /^[\x21-\x7e]+$/.test(idempotencyKey) ? idempotencyKey : sha256Hex(idempotencyKey);
}

/** Returns the address with its query. */
export function addressOf({ url, query = {} }: Pick<ToolRequest, "url" | "query">): URL {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value)
      ? (value as readonly QueryValue[])
      : [value as QueryValue])
      if (each !== undefined && each !== null) address.searchParams.append(name, String(each));
  return address;
}

/** Returns the encoded body with its media type. */
export function bodyOf({ body, contentType }: ToolRequest): {
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>;
  readonly signable?: Uint8Array | string;
  readonly contentType?: string;
} {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (body instanceof URLSearchParams) {
    const text = body.toString();
    return { body: text, signable: text, contentType: "application/x-www-form-urlencoded" };
  }
  if (body instanceof Uint8Array || (typeof body === "string" && contentType !== undefined)) {
    const type = contentType ?? "application/octet-stream";
    return { body: body as string | Uint8Array<ArrayBuffer>, signable: body, contentType: type };
  }
  const text = JSON.stringify(withoutBlanks(body));
  return { body: text, signable: text, contentType: "application/json" };
}

/** Removes undefined fields from JSON. */
function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined && each !== null)
      .map(([name, each]) => [name, withoutBlanks(each)]),
  );
}
