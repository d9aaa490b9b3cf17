import { describe, expect, it } from "vitest";
import { s3Reader } from "../../../../../src/tools/catalog/aws/s3-reader.ts";
import { s3Writer } from "../../../../../src/tools/catalog/aws/s3-writer.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = {
  CREW_AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  CREW_AWS_SEC_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

toolContract(s3Reader, {
  variables: { CREW_AWS_REGION: "us-east-1" },
  input: { file_path: "s3://b/k/x.txt" },
  success: [new Response("All of tea.")],
  requests: [{ method: "GET", url: "https://b.s3.us-east-1.amazonaws.com/k/x.txt" }],
  text: "All of tea.",
  isText: true,
});

toolContract(s3Writer, {
  variables: { CREW_AWS_REGION: "eu-central-1" },
  input: { file_path: "s3://b/k/x.txt", content: "All of tea." },
  success: [new Response(null, { headers: { etag: '"1"' } })],
  requests: [
    {
      method: "PUT",
      url: "https://b.s3.eu-central-1.amazonaws.com/k/x.txt",
      body: "All of tea.",
    },
  ],
  text: "Successfully wrote content to s3://b/k/x.txt",
  isText: true,
});

describe("objects of buckets", () => {
  it("are asked for with a signature (T39)", async () => {
    const { requests } = await callOf(
      s3Reader(),
      { file_path: "s3://b/k/x.txt" },
      { answers: [new Response("tea")], variables },
    );
    expect(requests[0]).toMatchObject({
      method: "GET",
      url: "https://b.s3.us-east-1.amazonaws.com/k/x.txt",
      headers: {
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$/,
        ),
        "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      },
    });
  });

  it.each(["s3://b", "s3:///k", "b/k", "s3://B_A/k", "s3://bucket/../other/k", "s3://b/"])(
    "are named by bucket and key: %s is not (T39)",
    async (file_path) => {
      const { failure, requests } = await callOf(s3Reader(), { file_path }, { variables });
      expect(failure).toMatchObject({ code: "bad_request", message: /s3:\/\/bucket\/key/ });
      expect(requests).toEqual([]);
    },
  );

  it.each([
    ["s3://b/a b+c/ü.txt", {}, "https://b.s3.us-east-1.amazonaws.com/a%20b%2Bc/%C3%BC.txt"],
    ["s3://my.bucket/k", {}, "https://s3.us-east-1.amazonaws.com/my.bucket/k"],
    [
      "s3://b/k",
      { endpoint: "https://acc.r2.cloudflarestorage.com/" },
      "https://acc.r2.cloudflarestorage.com/b/k",
    ],
  ])("have addresses: %s", async (file_path, options, url) => {
    const { requests } = await callOf(
      s3Reader(options),
      { file_path },
      { answers: [new Response("tea")], variables },
    );
    expect(requests[0]?.url).toBe(url);
  });

  it("refuses an invalid region", async () => {
    const { failure, requests } = await callOf(
      s3Reader(),
      { file_path: "s3://b/k" },
      { variables: { ...variables, CREW_AWS_REGION: "evil.example/" } },
    );
    expect(failure?.code).toBe("bad_request");
    expect(requests).toEqual([]);
  });

  it("are described by type and size when they are not text", async () => {
    const read = (bytes: number): Promise<string> =>
      callOf(
        s3Reader(),
        { file_path: "s3://b/k.png" },
        {
          answers: [
            new Response(new Uint8Array(bytes).fill(0xff), {
              headers: { "content-type": "image/png" },
            }),
          ],
          variables,
        },
      ).then(({ text }) => text);
    expect(await read(3)).toContain("image/png, 3 bytes. In base64:\n////");
    expect(await read(40_000)).toMatch(/image\/png, 40000 bytes\.$/);
  });

  it("are written again after a crash: it is the same object", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      toolSubject(
        s3Writer(),
        { file_path: "s3://b/k", content: "tea" },
        { answers: [new Response(null)], variables },
      ),
    );
    expect(s3Writer()).toMatchObject({ effect: "idempotent", needsApproval: true });
    for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
  });
});
