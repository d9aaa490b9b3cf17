// A provider of embeddings on loopback, in the wire forms of those that we know. The vectors are those of the offline
// embedder cut to eight numbers, so that a test can tell which text a vector is of.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { hashEmbedder } from "../../src/vectors/hash-embedder.ts";

export type EmbeddingRequest = {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
};

type Fault = { readonly status: number; readonly body: unknown; readonly headers?: object };

export type EmbeddingServer = {
  readonly url: string;
  readonly calls: EmbeddingRequest[];
  /** Failures that are used up before anything is answered. */
  readonly faults: Fault[];
  /** Refuses any call with such a text, as a provider refuses one that is too long. */
  refuse: (text: string) => boolean;
  /** Answers, in the wire form, whatever this makes of the vectors. */
  distort: ((vectors: number[][]) => unknown[]) | undefined;
  stop(): Promise<void>;
};

/** The vector that the server has for a text. */
export async function vectorOf(text: string): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const [vector = new Float32Array()] = await hashEmbedder().embed([text], { signal });
  return Array.from(vector.subarray(0, 8), (value) => Math.fround(value + 0.5));
}

type Form = {
  readonly texts: (body: Record<string, unknown>) => unknown;
  readonly answer: (vectors: unknown[], body: Record<string, unknown>) => unknown;
};

const indexed: Form = {
  texts: ({ input }) => input,
  // Backwards: the index says which is which.
  answer: (vectors, body) => ({
    object: "list",
    model: body["model"],
    data: vectors
      .map((vector, index) => ({
        object: "embedding",
        index,
        embedding: body["encoding_format"] === "base64" ? base64(vector as number[]) : vector,
      }))
      .toReversed(),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
};

const FORMS: readonly (readonly [RegExp, Form])[] = [
  [
    /^\/cohere\/embed$/,
    {
      texts: ({ texts }) => texts,
      answer: (float) => ({ id: "x", embeddings: { float }, texts: [] }),
    },
  ],
  [
    /:batchEmbedContents$/,
    {
      texts: ({ requests }) =>
        (requests as { content: { parts: { text: string }[] } }[]).map(
          ({ content }) => content.parts[0]?.text,
        ),
      answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
    },
  ],
  [
    /:predict$/,
    {
      texts: ({ instances }) => (instances as { content: string }[]).map(({ content }) => content),
      answer: (vectors) => ({
        predictions: vectors.map((values) => ({
          embeddings: { values, statistics: { truncated: false } },
        })),
      }),
    },
  ],
  [/\/pipeline\/feature-extraction$/, { texts: ({ inputs }) => inputs, answer: (all) => all }],
  [
    /\/invoke$/,
    {
      texts: ({ inputText, texts }) => texts ?? [inputText],
      answer: (vectors, { inputText }) =>
        inputText === undefined
          ? { embeddings: vectors, response_type: "embeddings_floats" }
          : { embedding: vectors[0], inputTextTokenCount: 3 },
    },
  ],
  [/\/embeddings$/, indexed],
];

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      answer(request, Buffer.concat(chunks).toString()).then(
        ({ status, body, headers }) => {
          response.writeHead(status, { "content-type": "application/json", ...headers });
          response.end(typeof body === "string" ? body : JSON.stringify(body));
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });

  async function answer(request: IncomingMessage, text: string): Promise<Fault> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const body = JSON.parse(text) as Record<string, unknown>;
    const path = decodeURIComponent(url.pathname);
    self.calls.push({
      path,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body,
    });
    const fault = self.faults.shift();
    if (fault) return fault;
    const form = FORMS.find(([pattern]) => pattern.test(path))?.[1];
    if (form === undefined) return { status: 404, body: { error: { message: `no ${path}` } } };
    const texts = form.texts(body) as string[];
    if (texts.some((each) => self.refuse(each))) {
      const message = "This model's maximum context length is 8192 tokens";
      return { status: 400, body: { error: { message, type: "invalid_request_error" } } };
    }
    const vectors = await Promise.all(texts.map(async (each) => [...(await vectorOf(each))]));
    return { status: 200, body: form.answer(self.distort?.(vectors) ?? vectors, body) };
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const self: EmbeddingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    faults: [],
    refuse: () => false,
    distort: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}

function base64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}
