import { unreadableAnswer } from "../../llm/provider-failure.ts";
import { fromBase64 } from "../packed-text.ts";

/**
 * Reads one vector for each text from a provider's answer. Fails with `model_failed` (retryable) for any other answer.
 */
export function readVectors(
  modelId: string,
  sent: readonly unknown[],
  count: number,
): readonly Float32Array[] {
  if (sent.length !== count) {
    throw unreadableAnswer(modelId, `gave ${sent.length} vectors for ${count} texts`);
  }
  const vectors = sent.map((vector, index) => {
    const read = typeof vector === "string" ? fromBase64(vector) : fromNumbers(vector);
    if (read === undefined || read.length === 0) {
      throw unreadableAnswer(
        modelId,
        Array.isArray(vector) && Array.isArray(vector[0])
          ? "gave a vector for each token of a text: it is no model of sentences"
          : `gave no vector for text ${index}`,
      );
    }
    return read;
  });
  const dimension = vectors[0]?.length;
  const odd = vectors.find((vector) => vector.length !== dimension);
  if (odd)
    throw unreadableAnswer(modelId, `gave vectors of ${dimension} and ${odd.length} numbers`);
  return vectors;
}

function fromNumbers(value: unknown): Float32Array | undefined {
  if (value instanceof Float32Array) return value;
  const numbers = value instanceof Float64Array ? [...value] : value;
  if (!Array.isArray(numbers) || !numbers.every((number) => Number.isFinite(number)))
    return undefined;
  return Float32Array.from(numbers);
}
