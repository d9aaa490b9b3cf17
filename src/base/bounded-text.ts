/** A text, or the beginning of a longer one. */
export type BoundedText = { readonly text: string; readonly isWhole: boolean };

/** Reads the text of a body, decoded as it arrives. Stops receiving after `maxBytes`, counted unpacked. */
export async function boundedText(
  { body }: Pick<Response, "body">,
  maxBytes: number,
): Promise<BoundedText> {
  if (body === null) return { text: "", isWhole: true };
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a body has one piece after another
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
