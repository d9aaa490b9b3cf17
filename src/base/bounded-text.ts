/** A text, or the beginning of a longer one. */
export type BoundedText = { readonly text: string; readonly isWhole: boolean };

/**
 * Reads a body as text, up to `maxBytes` after unpacking, and receives no more. A declared length within the limit is
 * trusted, because the transport ends the body there: the platform then reads it at once.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<BoundedText> {
  const { body, headers } = response;
  if (body === null) return { text: "", isWhole: true };
  if (declaredLength(headers) <= maxBytes) return { text: await response.text(), isWhole: true };
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isWhole: true };
    const room = maxBytes - bytes;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined);
      return { text: text + decoder.decode(value.subarray(0, room)), isWhole: false };
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns the declared bytes of the body; infinite if unknown, as for packed bodies. */
function declaredLength(headers: Headers): number {
  const length = headers.get("content-length");
  return length === null || headers.has("content-encoding") ? Infinity : Number(length);
}
