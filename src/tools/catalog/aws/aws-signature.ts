// Signs requests of tools to AWS, and to stores that speak S3.
import { awsSignedHeaders, type AwsAccess } from "../../../security/aws-signature.ts";
import type { ToolRequest } from "../base/request.ts";

/** Headers that what is between the two sides may change. */
const UNSIGNED = [
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "range",
  "user-agent",
];

/** What a request's `sign` is, for a service such as `s3`. The body is part of the signature. */
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
