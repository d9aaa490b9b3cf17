// The agent that acceptance tests of A2A call: what it does is told by the beginning of a message's id.
import { a2a, a2aResult, askCaller, sendArtifact, type A2AOptions } from "../../src/entry/a2a.ts";
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import type { Part } from "../../src/parts/part.ts";

const SLOW_MS = 4_000;
const FILE = { filename: "output.txt", mediaType: "text/plain" };
const TEXT = "Generated text content";
const BYTES = btoa("Hello from the conformance agent");
const FILE_URL = "https://example.com/output.txt";

type Tools = {
  readonly sleep: (name: string, delayMs: number) => Promise<void>;
  readonly id: string;
};

/** What a message of this id is answered with. */
async function answered({ sleep, id }: Tools): Promise<JsonValue> {
  const artifact = (part: object): JsonValue =>
    a2aResult({ artifacts: [{ id: "output", name: "output", parts: [part] }] });
  const begins = (prefix: string): boolean => id.startsWith(prefix);
  if (begins("tck-artifact-text")) return artifact({ text: TEXT });
  if (begins("tck-artifact-file-url")) return artifact({ url: FILE_URL, ...FILE });
  if (begins("tck-artifact-file")) return artifact({ raw: BYTES, ...FILE });
  if (begins("tck-artifact-data"))
    return artifact({ data: { key: "value", count: 42 }, mediaType: "application/json" });
  if (begins("tck-message-response")) return a2aResult({ reply: "Direct message response" });
  if (begins("tck-reject-task")) return a2aResult({ state: "rejected", message: "Task rejected" });
  if (begins("tck-stream-artifact-file")) return artifact({ raw: BYTES, ...FILE });
  if (begins("tck-stream-artifact-chunked")) {
    sendArtifact({ id: "chunked", name: "chunked", parts: "chunk-1 " }, { lastChunk: false });
    sendArtifact({ id: "chunked", parts: "chunk-2" }, { append: true, lastChunk: true });
    return a2aResult({});
  }
  if (begins("tck-stream-")) return artifact({ text: "Stream hello from TCK" });
  if (begins("test-resubscribe-message-id") || begins("tck-slow")) {
    await sleep("slow", SLOW_MS);
    return a2aResult({ message: "Slow task completed" });
  }
  if (begins("tck-input-required")) {
    const next = await askCaller("Please provide more input", { message: true });
    const said = isJsonObject(next) ? next["messageId"] : undefined;
    return answered({ sleep, id: typeof said === "string" ? said : "" });
  }
  return a2aResult({ message: "Hello from TCK" });
}

/** The agent as a flow, with the request as its input. */
export const conformanceAgent = defineFlow({
  name: "conformance",
  methods: {
    answer: {
      start: true,
      run: ({ inputs, sleep }) => {
        const request = inputs["request"];
        const id = isJsonObject(request) ? request["messageId"] : undefined;
        return answered({ sleep, id: typeof id === "string" ? id : "" });
      },
    },
  },
});

/** What a Worker of conformance tests is made of: `defineApp({ flows, parts: [part] })`. */
export function a2aConformance({ expose = {}, ...options }: Partial<A2AOptions> = {}): {
  readonly flows: { readonly conformance: typeof conformanceAgent };
  readonly part: Part;
} {
  return {
    flows: { conformance: conformanceAgent },
    part: a2a({
      root: "flow/conformance",
      ...options,
      expose: {
        ...(expose === "all" ? undefined : expose),
        "flow/conformance": {
          title: "Conformance agent",
          description: "Behaves as acceptance tests of A2A expect it",
          request: "request",
          replies: true,
          outputModes: ["text/plain", "application/json", "application/octet-stream"],
          extended: {
            skills: [
              {
                id: "extended",
                name: "Extended",
                description: "Shown to callers with a key",
                tags: ["tck"],
              },
            ],
          },
        },
      },
    }),
  };
}
