import { unreachedText } from "../../llm/provider-client.ts";
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { parsedObject, type JsonObject } from "../../base/json.ts";
import { systemFetch } from "../../base/system.ts";
import { awsAccess } from "../../llm/bedrock/aws-access.ts";
import type { Connection } from "../../llm/connection.ts";
import { answerText, refusalText, vectorBytes } from "../../llm/answer-bounds.ts";
import { openaiEmbeddings, type EmbeddingCall } from "../../llm/openai/embeddings.ts";
import { providerError, unreachedServer, unreadableAnswer } from "../../llm/provider-failure.ts";
import { withTimeLimit } from "../../llm/time-limit.ts";
import type { Variables } from "../../llm/variables.ts";
import { asText, fieldsOf } from "../../llm/wire.ts";
import { awsSignedHeaders } from "../../security/aws-signature.ts";
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
      return readVectors(id, form.vectors(answer), texts.length);
    },
  };
}

/** Posts JSON, for providers without an SDK. */
function poster({ id, connection, form, ...options }: RemoteEmbedderOptions): Send {
  const { baseUrl, apiKey, headers, query, model } = connection;
  const aws = awsAccess(connection, options.variables);
  const url = new URL(baseUrl + (form.path?.(model) ?? ""));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const key =
    apiKey === undefined
      ? undefined
      : form.keyHeader === undefined
        ? { Authorization: `Bearer ${apiKey}` }
        : { [form.keyHeader]: apiKey };
  return async ({ body: fields, signal, maxBytes }) => {
    const body = JSON.stringify(fields);
    const signed =
      aws &&
      (await awsSignedHeaders(aws, {
        method: "POST",
        url,
        body: new TextEncoder().encode(body),
        service: "bedrock",
        nowMs: options.clock.now(),
      }));
    let response: Response;
    let text: string;
    try {
      response = await (options.fetch ?? systemFetch)(url.href, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...key, ...headers, ...signed },
        body,
        signal,
      });
      text = response.ok
        ? await answerText(response, { server: url.origin, maxBytes })
        : await refusalText(response, url.origin);
    } catch (error) {
      signal.throwIfAborted();
      if (EngineError.is(error)) throw error;
      const cause = error instanceof Error ? error : new Error(errorMessage(error));
      throw unreachedServer(id, new Error(unreachedText(url.origin, cause), { cause }));
    }
    if (!response.ok) throw refusal(id, { response, text, nowMs: options.clock.now() });
    try {
      return JSON.parse(text);
    } catch (error) {
      throw unreadableAnswer(id, "gave an answer that is no JSON", error);
    }
  };
}

function refusal(
  modelId: string,
  { response, text, nowMs }: { response: Response; text: string; nowMs: number },
): EngineError {
  const { error, message, detail } = fieldsOf(parsedObject(text));
  const said = fieldsOf(error)["message"] ?? message ?? error ?? detail ?? text.slice(0, 500);
  return providerError(
    {
      modelId,
      status: response.status,
      message: asText(said),
      headers: response.headers,
      cause: new Error(text.slice(0, 2000)),
    },
    nowMs,
  );
}
