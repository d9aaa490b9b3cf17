import type { Clock } from "../../base/clock.ts";
import { awsSignedHeaders, type AwsAccess } from "../../security/aws-signature.ts";
import { noteSecret } from "../../security/known-secrets.ts";
import { firstOf, type Connection } from "../connection.ts";
import type { ProviderDialect } from "../provider-client.ts";
import type { Variables } from "../variables.ts";

const REGION = ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_REGION_NAME"];

/**
 * Returns the access key of the environment, for the region of the connection's address; undefined for an unsigned
 * connection (NW4).
 */
function awsAccess(
  { isSigned, baseUrl }: Pick<Connection, "isSigned" | "baseUrl">,
  variables: Variables,
): AwsAccess | undefined {
  const accessKeyId = firstOf(["AWS_ACCESS_KEY_ID"], variables);
  const secretAccessKey = firstOf(["AWS_SECRET_ACCESS_KEY"], variables);
  const sessionToken = firstOf(["AWS_SESSION_TOKEN"], variables);
  if (isSigned !== true || accessKeyId === undefined || secretAccessKey === undefined)
    return undefined;
  for (const secret of [secretAccessKey, sessionToken]) if (secret) noteSecret(secret);
  const region =
    /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(baseUrl)?.[1] ?? firstOf(REGION, variables) ?? "us-east-1";
  return { accessKeyId, secretAccessKey, sessionToken, region };
}

/** Returns the signature of requests to Bedrock; empty for an unsigned connection. */
export function awsSigned({
  connection,
  variables,
  clock,
}: {
  readonly connection: Connection;
  readonly variables: Variables;
  readonly clock: Clock;
}): Pick<ProviderDialect, "sign"> {
  const access = awsAccess(connection, variables);
  if (access === undefined) return {};
  return {
    sign: ({ method, url, body }) =>
      awsSignedHeaders(access, {
        method,
        url: new URL(url),
        body: new TextEncoder().encode(body),
        service: "bedrock",
        nowMs: clock.now(),
      }),
  };
}
