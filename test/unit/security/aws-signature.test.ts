import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { awsSignedHeaders } from "../../../src/security/aws-signature.ts";

type Signed = {
  readonly name: string;
  readonly region: string;
  readonly sessionToken: string | null;
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Made and signed by AWS's SDK for Python. */
const { requests, ...keys } = JSON.parse(
  readFileSync(new URL("../../fixtures/aws/signed-requests.json", import.meta.url), "utf8"),
) as {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly requests: readonly Signed[];
};

describe("signatures of AWS", () => {
  it.each(requests)("of $name equals the AWS SDK's", async (request) => {
    const { region, sessionToken, method, url, body, headers } = request;
    const signed = await awsSignedHeaders(
      { ...keys, region, sessionToken: sessionToken ?? undefined },
      {
        method,
        url: new URL(url),
        headers: { "Content-Type": headers["Content-Type"] ?? "" },
        body: new TextEncoder().encode(body),
        service: "bedrock",
        nowMs: Date.UTC(2026, 10, 29, 12, 34, 56, 789),
      },
    );
    expect(signed).toEqual({
      authorization: headers["Authorization"],
      "x-amz-date": headers["X-Amz-Date"],
      ...(sessionToken === null ? {} : { "x-amz-security-token": sessionToken }),
    });
  });
});
