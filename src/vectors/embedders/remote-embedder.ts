import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { apiFailure } from "../../llm/api-error.ts";
import { awsSigned } from "../../llm/bedrock/aws-access.ts";
import type { Connection } from "../../llm/connection.ts";
import { vectorBytes } from "../../llm/answer-bounds.ts";
import { openaiEmbeddings, type EmbeddingCall } from "../../llm/openai/embeddings.ts";
import { ProviderClient } from "../../llm/provider-client.ts";
import { unreadableAnswer } from "../../llm/provider-failure.ts";
import { withTimeLimit } from "../../llm/time-limit.ts";
import type { Variables } from "../../llm/variables.ts";
import { fieldsOf } from "../../llm/wire.ts";
import type { Embedder } from "../embedder.ts";
import { usualSimilarity } from "./embedding-providers.ts";
import { readVectors } from "./read-vectors.ts";
import type { WireForm } from "./wire-forms.ts";

export type RemoteEmbedderOptions = {
  readonly id: string;
  readonly connection: Connection;
  /** Variables with the access key of AWS, for signed requests. */
  readonly variables: Variables;
  readonly form: WireForm;
  readonly dimensions: number | undefined;
  readonly maxBatch: number;
  readonly timeoutMs: number;
  readonly params: JsonObject;
  readonly fetch: typeof fetch | undefined;
  readonly clock: Clock;
};

type Send = (call: EmbeddingCall) => Promise<unknown>;

/** Creates an embedder behind HTTP. OpenAI's dialect goes through its SDK, loaded with the first call. */
export function remoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  const { id, connection, form, dimensions, clock, timeoutMs } = options;
  const send: Send = form.path === undefined ? openaiEmbeddings(options) : poster(options);
  // A quarter of the bytes. Endpoints other than OpenAI's may not support it.
  const format = form.path === undefined && connection.isOwnEndpoint && id.startsWith("openai/");
  return {
    id,
    model: id,
    similarity: usualSimilarity(id),
    maxBatch: options.maxBatch,
    ...(dimensions === undefined ? undefined : { dimension: dimensions }),
    embed: async (texts, { signal, purpose = "document" }) => {
      signal.throwIfAborted();
      if (connection.missingKey !== undefined) {
        throw new EngineError("model_unauthorized", `${id}: ${connection.missingKey}`);
      }
      const body = {
        ...form.body({ model: connection.model, texts, purpose, dimensions }),
        ...(format ? { encoding_format: "base64" } : undefined),
        ...options.params,
      };
      const answer = await withTimeLimit({ modelId: id, signal, timeoutMs, clock }, (limited) =>
        send({ body, signal: limited, maxBytes: vectorBytes(texts.length) }),
      );
      if (typeof answer === "string") throw unreadableAnswer(id, "gave an answer that is no JSON");
      return readVectors(id, form.vectors(answer), texts.length);
    },
  };
}

/** Posts JSON to providers with an API of their own. */
function poster(options: RemoteEmbedderOptions): Send {
  const { id, connection, form, clock } = options;
  const client = new ProviderClient(
    { connection, fetch: options.fetch },
    {
      headers: keyHeader(connection, form),
      errorIn,
      ...awsSigned(options),
    },
  );
  const path = form.path?.(connection.model) ?? "";
  return async ({ body, signal, maxBytes }) => {
    let answer: unknown;
    try {
      answer = await client.json(path, { body, signal, maxBytes });
    } catch (error) {
      signal.throwIfAborted();
      const about = { modelId: id, nowMs: clock.now() };
      throw apiFailure(error, about, ({ status, message }) => ({ status, message }));
    }
    return answer;
  };
}

function keyHeader({ apiKey }: Connection, form: WireForm): Readonly<Record<string, string>> {
  if (apiKey === undefined) return {};
  return form.keyHeader === undefined
    ? { authorization: `Bearer ${apiKey}` }
    : { [form.keyHeader]: apiKey };
}

/** Returns the error in a refusal; providers name it differently. */
function errorIn(json: unknown): unknown {
  const { error, message, detail } = fieldsOf(json);
  return fieldsOf(error)["message"] ?? message ?? error ?? detail ?? json;
}
