// Signs requests to AWS, and to stores compatible with S3: Signature Version 4.
// Source: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, looked up in November
// 2026.
import { digestHex } from "../base/bytes.ts";

export type AwsAccess = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Token of a temporary access. */
  readonly sessionToken?: string | undefined;
  readonly region: string;
};

export type RequestToSign = {
  readonly method: string;
  readonly url: URL;
  /** Headers covered by the signature. The host and the time are always among them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The service's name in signatures, such as `s3`. */
  readonly service: string;
  readonly nowMs: number;
};

/** Returns the headers with the signature. */
export async function awsSignedHeaders(
  access: AwsAccess,
  { method, url, headers = {}, body, service, nowMs }: RequestToSign,
): Promise<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const hash = await digestHex(body);
  const added = {
    "x-amz-date": time,
    ...(access.sessionToken === undefined
      ? undefined
      : { "x-amz-security-token": access.sessionToken }),
    ...(service === "s3" ? { "x-amz-content-sha256": hash } : undefined),
  };
  const covered = Object.entries({ host: url.host, ...headers, ...added })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, " ")] as const)
    .toSorted(([a], [b]) => compare(a, b));
  const names = covered.map(([name]) => name).join(";");
  const canonical = [
    method.toUpperCase(),
    canonicalPath(url, service),
    canonicalQuery(url),
    ...covered.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash,
  ].join("\n");
  const scope = `${time.slice(0, 8)}/${access.region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${await digestHex(encoded(canonical))}`;
  let key: Uint8Array<ArrayBuffer> = encoded(`AWS4${access.secretAccessKey}`);
  for (const part of [...scope.split("/"), toSign]) key = await hmac(key, part);
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${access.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hex(key)}`,
  };
}

/** S3 signs a path unchanged; all other services sign the sent path encoded once more. */
function canonicalPath({ pathname }: URL, service: string): string {
  if (service !== "s3") return strictPath(pathname.replaceAll(/\/+/g, "/"));
  try {
    return strictPath(decodeURIComponent(pathname.replaceAll("+", " ")));
  } catch {
    return pathname;
  }
}

function canonicalQuery({ searchParams }: URL): string {
  return Array.from(searchParams, ([name, value]) => [strict(name), strict(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function strictPath(path: string): string {
  return path.split("/").map(strict).join("/");
}

/** Percent-encoded but for RFC 3986's unreserved letters. */
function strict(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

async function hmac(
  secret: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoded(text)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
