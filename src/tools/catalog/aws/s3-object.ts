// Objects in S3 and in S3-compatible stores such as R2 and MinIO.
import * as z from "zod";
import type { CatalogVariable } from "../base/entry.ts";
import type { ToolRequest } from "../base/request.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { checkedRegion } from "./aws-access.ts";
import { awsSignature } from "./aws-signature.ts";

const S3_VARIABLES = [
  {
    name: "CREW_AWS_REGION",
    description: "the region of the bucket",
    required: false,
    isPlain: true,
  },
  { name: "CREW_AWS_ACCESS_KEY_ID", description: "the id of an AWS access key" },
  { name: "CREW_AWS_SEC_ACCESS_KEY", description: "the secret of the AWS access key" },
  {
    name: "CREW_AWS_SESSION_TOKEN",
    description: "the token of a temporary AWS access key",
    required: false,
  },
] as const satisfies readonly CatalogVariable[];

/** Maximum size of an object for reading and writing. */
export const MAX_OBJECT_BYTES = 10 << 20;

/**
 * Options for stores other than Amazon's: `https://<account>.r2.cloudflarestorage.com`. Their addresses have the bucket
 * in the path.
 */
const s3Options = () => z.object({ endpoint: z.url().optional() });

/** Properties of every tool of a bucket. */
export const S3_TOOL = {
  group: "files",
  service: "S3",
  options: s3Options,
  hostOptions: ["endpoint"],
  env: S3_VARIABLES,
  hosts: s3Hosts,
} as const;

export const objectArgument = () =>
  z.string().min(1).max(2048).describe("The object, as s3://bucket/key");

function s3Hosts({ endpoint }: { readonly endpoint?: string | undefined }): string[] {
  return endpoint === undefined ? ["*.amazonaws.com"] : [new URL(endpoint).host];
}

/** Returns the address of an object and its signature. Throws the failure `bad_request`. */
export function s3Request(
  path: string,
  { endpoint }: { readonly endpoint?: string | undefined },
  io: ToolIo,
): Pick<ToolRequest, "url" | "sign"> {
  const [, bucket = "", key = ""] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(path.trim()) ?? [];
  const parts = key.split("/");
  const isOdd = parts.some((part) => part === "." || part === "..");
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(bucket) || isOdd)
    throw serviceFailure({
      code: "bad_request",
      message: `${path} is no object of a bucket: give one as s3://bucket/key.`,
    });
  const region = checkedRegion(io.value("CREW_AWS_REGION"));
  const name = parts.map(encodeURIComponent).join("/");
  // Amazon's certificate covers only one label, so a bucket with dots is in the path.
  const inPath = endpoint ?? (bucket.includes(".") ? `https://s3.${region}.amazonaws.com` : "");
  const access = {
    accessKeyId: io.value("CREW_AWS_ACCESS_KEY_ID") ?? "",
    secretAccessKey: io.value("CREW_AWS_SEC_ACCESS_KEY") ?? "",
    sessionToken: io.value("CREW_AWS_SESSION_TOKEN"),
    region,
  };
  return {
    url:
      inPath === ""
        ? `https://${bucket}.s3.${region}.amazonaws.com/${name}`
        : `${inPath.replace(/\/+$/, "")}/${bucket}/${name}`,
    sign: awsSignature(access, "s3"),
  };
}
