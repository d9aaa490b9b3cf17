import type { FileToUpload } from "./model-files.ts";

/** A form with one file, streamed: the whole file is never in memory. */
export type MultipartBody = {
  readonly contentType: string;
  /** Length in bytes. */
  readonly length: number;
  readonly stream: ReadableStream<Uint8Array>;
};

/** The body of a form (RFC 7578). `boundary` must not occur in the file: derive it from something random, or from its digest. */
export async function multipartBody(
  fields: readonly (readonly [name: string, value: string])[],
  file: FileToUpload,
  boundary: string,
): Promise<MultipartBody> {
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = encode(
    `${parts.join("")}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n` +
      `Content-Type: ${file.mediaType}\r\n\r\n`,
  );
  const tail = encode(`\r\n--${boundary}--\r\n`);
  const reader = (await file.open()).getReader();
  let isBegun = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (!isBegun) {
        isBegun = true;
        controller.enqueue(head);
        return;
      }
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.enqueue(tail);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const length = head.length + file.bytes + tail.length;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    stream: ofLength(stream, length),
  };
}

/** Returns the same stream with a known length, for runtimes such as workerd that would otherwise send it chunked. */
export function ofLength(
  stream: ReadableStream<Uint8Array>,
  length: number,
): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as {
    readonly FixedLengthStream?: new (
      bytes: number,
    ) => ReadableWritablePair<Uint8Array, Uint8Array>;
  };
  return FixedLengthStream === undefined
    ? stream
    : stream.pipeThrough(new FixedLengthStream(length));
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
