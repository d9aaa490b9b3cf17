// Signs tool requests to AWS and to S3-compatible stores.
import { awsSignedHeaders, type AwsAccess } from "../../../security/aws-signature.ts";
import type { ToolRequest } from "../base/request.ts";

/** Headers that intermediaries may change. */
const UNSIGNED = [
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "range",
  "user-agent",
];

/** Creates the `sign` function of a request to a service such as `s3`. The signature covers the body. */
export function awsSignature(access: AwsAccess, service: string): NonNullable<ToolRequest["sign"]> {
  return ({ method, url, headers, body = "", nowMs }) =>
    awsSignedHeaders(access, {
      method,
      url,
      headers: Object.fromEntries([...headers].filter(([name]) => !UNSIGNED.includes(name))),
      body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      service,
      nowMs,
    });
}
