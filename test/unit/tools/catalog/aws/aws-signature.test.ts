import { describe, expect, it } from "vitest";
import { awsSignature } from "../../../../../src/tools/catalog/aws/aws-signature.ts";

/** Of AWS's Signature Version 4 test suite. */
const SUITE = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
/** Of the examples in the documentation of S3. */
const S3 = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};

type Vector = {
  readonly name: string;
  readonly access: typeof SUITE & { readonly sessionToken?: string };
  readonly service: string;
  readonly at: string;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signature: string;
};

const suite = { access: SUITE, service: "service", at: "2015-08-30T12:36:00Z" };
const s3 = { access: S3, service: "s3", at: "2013-05-24T00:00:00Z" };

const VECTORS: readonly Vector[] = [
  {
    ...suite,
    name: "get-vanilla",
    url: "https://example.amazonaws.com/",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  {
    ...suite,
    name: "get-vanilla-query-order-key-case",
    url: "https://example.amazonaws.com/?Param2=value2&Param1=value1",
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  {
    ...suite,
    name: "post-vanilla",
    url: "https://example.amazonaws.com/",
    method: "POST",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    ...s3,
    name: "Amazon S3, PUT Object",
    url: "https://examplebucket.s3.amazonaws.com/test%24file.text",
    method: "PUT",
    headers: {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    },
    body: "Welcome to Amazon S3.",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    ...s3,
    name: "Amazon S3, GET Bucket Lifecycle",
    url: "https://examplebucket.s3.amazonaws.com/?lifecycle",
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    ...s3,
    name: "Amazon S3, List Objects",
    url: "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
];

describe("signatures of AWS", () => {
  it.each(VECTORS)("fit AWS's own: $name", async ({ access, service, at, url, ...vector }) => {
    const signed = await awsSignature(
      access,
      service,
    )({
      method: vector.method ?? "GET",
      url: new URL(url),
      headers: new Headers(vector.headers),
      body: vector.body,
      nowMs: Date.parse(at),
    });
    expect(signed["authorization"]).toContain(`Signature=${vector.signature}`);
    expect(signed["x-amz-date"]).toBe(at.replaceAll(/[:-]/g, ""));
  });

  it("have the token of a temporary key, and the digest of the body", async () => {
    const sign = awsSignature({ ...S3, sessionToken: "token" }, "s3");
    const signed = await sign({
      method: "PUT",
      url: new URL("https://b.s3.us-east-1.amazonaws.com/k"),
      headers: new Headers({ "content-type": "text/plain", "user-agent": "x" }),
      body: new TextEncoder().encode("Welcome to Amazon S3."),
      nowMs: 0,
    });
    expect(signed).toMatchObject({
      "x-amz-security-token": "token",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    });
    expect(signed["authorization"]).toContain(
      "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,",
    );
  });
});
