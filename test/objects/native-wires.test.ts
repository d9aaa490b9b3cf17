// Gemini's and Bedrock's own wires in workerd: its cryptography and its streams.
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/base/aws-event-stream.ts";
import { resolveModel } from "../../src/llm/resolve-model.ts";
import { awsSignedHeaders } from "../../src/security/aws-signature.ts";

const encoder = new TextEncoder();
const signal = AbortSignal.timeout(20_000);

/** A frame of an event. */
function frame(name: string, payload: object): Uint8Array {
  const headers = Object.entries({ ":message-type": "event", ":event-type": name });
  const head = headers.flatMap(([key, value]) => [
    key.length,
    ...encoder.encode(key),
    7,
    0,
    value.length,
    ...encoder.encode(value),
  ]);
  const body = encoder.encode(JSON.stringify(payload));
  const bytes = new Uint8Array(16 + head.length + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(bytes.subarray(0, 8)));
  bytes.set(head, 12);
  bytes.set(body, 12 + head.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)));
  return bytes;
}

/** An answer whose bytes come in pieces of seven. */
function inPieces(...parts: readonly Uint8Array[]): Response {
  const bytes = parts.flatMap((part) => [...part]);
  return new Response(
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7)
          controller.enqueue(Uint8Array.from(bytes.slice(at, at + 7)));
        controller.close();
      },
    }),
  );
}

describe("in workerd", () => {
  it("requests to Bedrock are signed as AWS's SDK signs them", async () => {
    const { authorization } = await awsSignedHeaders(
      {
        accessKeyId: "AKIDEXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        sessionToken: "tok/en+=",
        region: "eu-central-1",
      },
      {
        method: "POST",
        url: new URL(
          "https://bedrock-runtime.eu-central-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Aapplication-inference-profile%2Fabc123def456/converse",
        ),
        headers: { "content-type": "application/json" },
        body: encoder.encode(
          '{"messages": [{"role": "user", "content": [{"text": "x"}]}], "inferenceConfig": {"maxTokens": 10}}',
        ),
        service: "bedrock",
        nowMs: Date.UTC(2026, 10, 29, 12, 34, 56),
      },
    );
    expect(authorization).toContain(
      "Signature=fc916b574fcd7df6d3b070ba419523de7e66ab30afff65267922a51cbbc7e981",
    );
  });

  it("streams of Bedrock and of Gemini are read as they come", async () => {
    const answers: Readonly<Record<string, () => Response>> = {
      "bedrock/amazon.nova-lite-v1:0": () =>
        inPieces(
          frame("messageStart", { role: "assistant" }),
          frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Grüße, " } }),
          frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "日本" } }),
          frame("messageStop", { stopReason: "end_turn" }),
          frame("metadata", { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
        ),
      "gemini/gemini-2.5-flash": () =>
        inPieces(
          ...[{ text: "Grüße, " }, { text: "日本" }].map((part, index) => {
            const end = index === 1 ? { finishReason: "STOP" } : {};
            const chunk = { candidates: [{ content: { parts: [part] }, ...end }] };
            return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
          }),
        ),
    };
    for (const [name, answer] of Object.entries(answers)) {
      const deltas: string[] = [];
      const sent: string[] = [];
      const model = resolveModel(name, {
        variables: {
          AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
          AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI-secret",
          GEMINI_API_KEY: "key",
        },
        fetch: async (input, init) => {
          const { headers } = new Request(input, init);
          sent.push(headers.get("authorization") ?? headers.get("x-goog-api-key") ?? "");
          return answer();
        },
      });
      const { text } = await model.generate(
        { messages: [{ role: "user", content: "Go" }] },
        { signal, onDelta: (delta) => deltas.push(delta) },
      );
      expect([text, deltas]).toEqual(["Grüße, 日本", ["Grüße, ", "日本"]]);
      expect(sent[0]).toMatch(/^(AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/.*|key$)/);
    }
  });
});
