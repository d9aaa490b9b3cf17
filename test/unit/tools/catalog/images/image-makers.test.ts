import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../../../src/base/bytes.ts";
import { dallE } from "../../../../../src/tools/catalog/images/dall-e.ts";
import { workersAiImage } from "../../../../../src/tools/catalog/images/workers-ai-image.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { workspaceWith } from "../../../../support/document-world.ts";
import { pngBytes } from "../../../../support/sample-files.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";

const PNG = pngBytes(4, 4);
const BASE64 = toBase64(PNG);
// After the examples of OpenAI's reference of `POST /v1/images/generations`.
const BY_URL = {
  created: 1713833628,
  data: [
    {
      revised_prompt: "A calm red teapot on a table.",
      url: "https://oaidalleapiprodscus.blob.core.windows.net/private/img-1.png?sig=x",
    },
  ],
};
const IN_BASE64 = {
  created: 1713833628,
  data: [{ b64_json: BASE64 }],
  usage: { total_tokens: 100, input_tokens: 50, output_tokens: 50 },
};
const input = { image_description: "A red teapot" };
const variables = { OPENAI_API_KEY: "sk-0123456789" };
const PATH = /^images\/[0-9a-f]{16}-1\.png$/;

toolContract(dallE, {
  options: { model: "gpt-image-1" },
  input,
  success: [Response.json(IN_BASE64)],
  requests: [
    {
      method: "POST",
      url: "https://api.openai.com/v1/images/generations",
      headers: expect.objectContaining({ "idempotency-key": expect.any(String) }) as never,
    },
  ],
  text: /"image_url":"images\/[0-9a-f]{16}-1\.png"/,
});

describe("DallETool", () => {
  it("stores an image from base64, without the base64 in the run's records (T35)", async () => {
    const { requests, text, data, extras, files, everything } = await callOf(
      dallE({ model: "gpt-image-1" }),
      input,
      { answers: [Response.json(IN_BASE64)], variables },
    );
    expect(requests[0]?.body).toEqual({
      model: "gpt-image-1",
      prompt: "A red teapot",
      size: "1024x1024",
      n: 1,
    });
    const [file] = extras.files ?? [];
    expect(file).toMatchObject({ path: expect.stringMatching(PATH), mediaType: "image/png" });
    expect(JSON.parse(text)).toEqual({ image_url: file?.path, image_description: "A red teapot" });
    expect(data).toMatchObject({ image_url: file?.path, file: { bytes: PNG.length } });
    expect((await files.get(`runs/run-1/${file?.path}`))?.content).toEqual(PNG);
    expect(everything).not.toContain(BASE64);
    expect(extras.cost).toEqual({ amount: 100, unit: "tokens" });
  });

  it("stores an image from a temporary address, without a key in the request", async () => {
    const answers = ({ url }: SeenRequest): Response =>
      url.startsWith("https://api.openai.com") ? Response.json(BY_URL) : new Response(PNG);
    const { requests, text, extras } = await callOf(dallE(), input, { answers, variables });
    expect(requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(requests[0]?.body).toMatchObject({ model: "dall-e-3", quality: "standard" });
    expect(requests[1]?.headers["authorization"]).toBeUndefined();
    expect(JSON.parse(text)).toMatchObject({
      image_url: expect.stringMatching(PATH),
      image_description: "A calm red teapot on a table.",
    });
    expect(extras.files).toHaveLength(1);
  });

  it("does not pay again when the image cannot be fetched at once, or the run is cut off", async () => {
    const made = () => {
      let fetched = 0;
      return ({ url }: SeenRequest): Response => {
        if (url.startsWith("https://api.openai.com")) return Response.json(BY_URL);
        return fetched++ === 0 ? new Response("", { status: 503 }) : new Response(PNG);
      };
    };
    const { requests, failure } = await callOf(dallE(), input, { answers: made(), variables });
    expect(failure).toBeUndefined();
    expect(requests).toHaveLength(3);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const subjects: SeenRequest[][] = [];
    await cutAfterEveryWrite(() => {
      const answers = ({ url }: SeenRequest): Response =>
        url.startsWith("https://api.openai.com") ? Response.json(BY_URL) : new Response(PNG);
      const subject = toolSubject(dallE(), input, { answers, variables });
      subjects.push(subject.requests);
      return subject;
    });
    for (const all of subjects) {
      const posts = all.filter(({ method }) => method === "POST");
      expect(posts.length).toBeLessThanOrEqual(2);
      // What may have been paid for is asked for with the same key.
      expect(new Set(posts.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    }
    expect(
      subjects.filter((all) => all.filter(({ method }) => method === "POST").length > 1).length,
    ).toBeLessThan(4);
  });

  it("fails for an answer without an image, and for an invalid one", async () => {
    const failed = async (answer: object) =>
      (await callOf(dallE(), input, { answers: [Response.json(answer)], variables })).failure?.code;
    expect(await failed({ data: [] })).toBe("bad_response");
    expect(await failed({ data: [{}] })).toBe("bad_response");
    expect(await failed({ data: [{ b64_json: btoa("<html>") }] })).toBe("bad_response");
    expect(await failed({ data: [{ b64_json: "???" }] })).toBe("bad_response");
  });

  it("recognises an exhausted quota", async () => {
    const answer = Response.json(
      {
        error: {
          message: "Billing hard limit has been reached",
          code: "billing_hard_limit_reached",
        },
      },
      { status: 400 },
    );
    const { failure } = await callOf(dallE(), input, { answers: [answer], variables });
    expect(failure?.code).toBe("quota_exceeded");
  });
});

describe("WorkersAiImageTool", () => {
  const asked: unknown[] = [];
  const ask = async (made: unknown) => {
    const workersAi = {
      run: async (...call: unknown[]) => {
        asked.push(call);
        if (made instanceof Error) throw made;
        return made;
      },
    };
    const services = { workersAi, files: await workspaceWith({}) };
    return callOf(workersAiImage(), { prompt: "A red teapot", steps: 4 }, { services });
  };

  it.each([{ made: { image: BASE64 } }, { made: new Response(PNG).body }, { made: PNG }])(
    "stores a model's image: %#",
    async ({ made }) => {
      const { text, extras, everything } = await ask(made);
      expect(asked.at(-1)).toEqual([
        "@cf/black-forest-labs/flux-1-schnell",
        { prompt: "A red teapot", steps: 4 },
      ]);
      expect(JSON.parse(text)).toMatchObject({ image_url: expect.stringMatching(PATH) });
      expect(extras.files).toMatchObject([{ mediaType: "image/png", bytes: PNG.length }]);
      expect(everything).not.toContain(BASE64);
    },
  );

  it("reports the failure, and the missing binding", async () => {
    expect((await ask({ text: "no" })).failure?.code).toBe("bad_response");
    expect(
      (await ask(new Error("3040: Capacity temporarily exceeded"))).failure?.message,
    ).toContain("Capacity");
    const { failure } = await callOf(workersAiImage(), { prompt: "x" });
    expect(failure?.message).toContain('[ai] binding = "AI"');
    expect(() => workersAiImage().check?.({})).toThrow('[ai] binding = "AI"');
  });
});
