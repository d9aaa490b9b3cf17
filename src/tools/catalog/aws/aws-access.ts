import type { CatalogVariable } from "../base/entry.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { AwsAccess } from "../../../security/aws-signature.ts";

/** Variables of the tools for models and knowledge of Bedrock. */
export const AWS_VARIABLES = [
  { name: "AWS_ACCESS_KEY_ID", description: "the id of an AWS access key" },
  { name: "AWS_SECRET_ACCESS_KEY", description: "the secret of the AWS access key" },
  {
    name: "AWS_SESSION_TOKEN",
    description: "the token of a temporary AWS access key",
    required: false,
  },
  { name: "AWS_REGION", description: "the AWS region", required: false, isPlain: true },
  {
    name: "AWS_DEFAULT_REGION",
    description: "the AWS region, where AWS_REGION is not set",
    required: false,
    isPlain: true,
  },
] as const satisfies readonly CatalogVariable[];

/** Reads the access from `AWS_VARIABLES`. */
export function awsAccess(io: ToolIo): AwsAccess {
  const region = io.value("AWS_REGION") ?? io.value("AWS_DEFAULT_REGION");
  return {
    accessKeyId: io.value("AWS_ACCESS_KEY_ID") ?? "",
    secretAccessKey: io.value("AWS_SECRET_ACCESS_KEY") ?? "",
    sessionToken: io.value("AWS_SESSION_TOKEN"),
    region: checkedRegion(region),
  };
}

/** Checks a region, which becomes part of host names. Throws the failure `bad_request`. */
export function checkedRegion(region = "us-east-1"): string {
  if (/^[a-z0-9-]+$/.test(region)) return region;
  throw serviceFailure({ code: "bad_request", message: `${region} is no region of AWS.` });
}
