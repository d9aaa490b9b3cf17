// Signs requests to AWS, and to stores that speak S3: Signature Version 4.
import { AwsV4Signer } from "aws4fetch";
import { digestHex } from "../../../base/bytes.ts";
import type { ToolRequest } from "../base/request.ts";

export type AwsAccess = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
};

/** What a request's `sign` is, for a service such as `s3`. The body is part of the signature. */
export function awsSignature(access: AwsAccess, service: string): NonNullable<ToolRequest["sign"]> {
  return async ({ method, url, headers, body = "", nowMs }) => {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const own = new Headers(headers);
    if (service === "s3") own.set("x-amz-content-sha256", await digestHex(bytes));
    const { sessionToken, ...keys } = access;
    const signer = new AwsV4Signer({
      ...keys,
      ...(sessionToken === undefined ? undefined : { sessionToken }),
      service,
      method,
      url: url.href,
      headers: own,
      body: bytes as Uint8Array<ArrayBuffer>,
      datetime: new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
    });
    const { headers: signed } = await signer.sign();
    const names = ["authorization", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"];
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = signed.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
  };
}
