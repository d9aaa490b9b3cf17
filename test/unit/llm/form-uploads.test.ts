import { describe, expect, it } from "vitest";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import type { FileToUpload, ModelFiles } from "../../../src/llm/model-files.ts";

type Sent = { readonly url: string; readonly init: RequestInit; readonly body: string };

const FILE: FileToUpload = {
  name: "notes.txt",
  mediaType: "text/plain",
  bytes: 5,
  open: async () => new Blob(["hello"]).stream(),
};

function filesOf(
  model: string,
  answer: unknown,
  status = 200,
): { files: ModelFiles; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const body = init.body === undefined ? "" : await new Response(init.body).text();
    sent.push({ url, init, body });
    return Response.json(answer, { status });
  };
  const { files } = resolveModel(
    { model, apiKey: "k" },
    { variables: {}, fetch: fetch as typeof globalThis.fetch },
  );
  if (files === undefined) throw new Error(`${model} has no files`);
  return { files, sent };
}

const options = {
  signal: new AbortController().signal,
  idempotencyKey: "key-1",
  expiresInSeconds: 3600,
};

describe.each([
  ["anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1/files", "2030-01-02T03:04:05Z"],
  ["openai/gpt-5-mini", "https://api.openai.com/v1/files", 1_893_553_445],
])("uploads of %s", (model, url, expiry) => {
  it("send the file as a form and return its id and expiry", async () => {
    const { files, sent } = filesOf(model, { id: "file-1", expires_at: expiry });
    expect(await files.upload?.(FILE, options)).toEqual({
      fileId: "file-1",
      expiresAtMs: Date.parse("2030-01-02T03:04:05Z"),
    });
    const [{ init, body, ...request }] = sent as [Sent];
    expect(request.url).toBe(url);
    const headers = new Headers(init.headers);
    expect(headers.get("idempotency-key")).toBe("key-1");
    expect(headers.get("content-length")).toBe(String(body.length));
    expect(body).toContain('name="file"; filename="notes.txt"');
    expect(body).toContain("\r\n\r\nhello\r\n");
    expect(body).toContain("3600");
  });

  it("without an expiry return the id alone", async () => {
    const { files } = filesOf(model, { id: "file-1" });
    expect(await files.upload?.(FILE, options)).toEqual({ fileId: "file-1" });
  });

  it("fail for an answer without an id", async () => {
    const { files } = filesOf(model, { id: "" });
    await expect(files.upload?.(FILE, options)).rejects.toThrow("took a file and named no id");
  });

  it("fail with the provider's refusal", async () => {
    const { files } = filesOf(model, { error: { message: "no room" } }, 413);
    await expect(files.upload?.(FILE, options)).rejects.toThrow("answered 413: no room");
  });

  it("are removed by their id", async () => {
    const { files, sent } = filesOf(model, {});
    await files.remove?.("file/1", options);
    expect(sent).toMatchObject([{ url: `${url}/file%2F1`, init: { method: "DELETE" } }]);
  });
});

it("refuses a file larger than OpenAI takes, before it is sent", async () => {
  const { files, sent } = filesOf("openai/gpt-5-mini", { id: "file-1" });
  const large = { ...FILE, bytes: 536_870_913 };
  await expect(files.upload?.(large, options)).rejects.toMatchObject({ code: "payload_too_large" });
  expect(sent).toEqual([]);
});
