// Streams the files of a form while it is still being sent.
import { decodeField, make, type MultipartError, type PartInfo } from "multipasta";
import { EngineError, errorMessage } from "../../base/error.ts";

export type FormFile = {
  /** Name from the client. */
  readonly name: string | undefined;
  readonly declared: string;
  readonly stream: ReadableStream<Uint8Array>;
};

type FormEvent =
  | { readonly type: "file"; readonly name: string | undefined; readonly declared: string }
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "end" };

const FIELD = "file";
const MAX_FIELD_BYTES = 4096;

/**
 * Returns the parts called `file` of a `multipart/form-data` body, in order, and skips others. The caller must read a
 * file before it asks for the next one. Throws `invalid_input` for an invalid body.
 */
export async function* formFiles(
  body: ReadableStream<Uint8Array>,
  contentType: string,
): AsyncGenerator<FormFile> {
  const events = new FormEvents(body, contentType);
  try {
    for (let event = await events.next(); event !== undefined; event = await events.next()) {
      if (event.type !== "file") continue; // skips the unread rest of the previous file
      const stream = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const next = await events.next();
            if (next?.type === "bytes") controller.enqueue(next.bytes);
            else controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      yield { name: event.name, declared: event.declared, stream };
    }
  } finally {
    await events.cancel();
  }
}

/** Events of the parser. It reads the body piece by piece, on demand. */
class FormEvents {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #parser: ReturnType<typeof make>;
  readonly #events: FormEvent[] = [];
  #fault: MultipartError | undefined;
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>, contentType: string) {
    this.#reader = body.getReader();
    this.#parser = make({
      headers: { "content-type": contentType },
      isFile: (part) => namesOf(part).field === FIELD,
      maxFieldSize: MAX_FIELD_BYTES,
      onField: decodeField,
      onFile: (part) => {
        this.#events.push({ type: "file", name: namesOf(part).file, declared: part.contentType });
        return (bytes) => {
          if (bytes === null) this.#events.push({ type: "end" });
          else if (bytes.length > 0) this.#events.push({ type: "bytes", bytes });
        };
      },
      onError: (fault) => (this.#fault ??= fault),
      onDone: () => undefined,
    });
  }

  /** Drops the rest of the body. */
  cancel(): Promise<void> {
    return this.#reader.cancel().catch(() => undefined);
  }

  async next(): Promise<FormEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#fault !== undefined) throw badForm(faultText(this.#fault));
      if (this.#isOver) return undefined;
      const { done, value } = await this.#reader.read();
      this.#isOver = done;
      try {
        if (done) this.#parser.end();
        else this.#parser.write(value);
      } catch (error) {
        throw badForm(errorMessage(error)); // such as a name with wrong escapes
      }
    }
  }
}

const PARAMETER = /;\s*([\w*]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g;

/**
 * Returns the names of a part and its file. Browsers send letters beyond Latin-1 unencoded, and the parser skips such
 * dispositions. Browsers send quotation marks as `%22`.
 */
function namesOf({ name, filename, headers }: PartInfo): {
  readonly field: string;
  readonly file: string | undefined;
} {
  const disposition = String(headers["content-disposition"] ?? "");
  const own = Object.fromEntries(
    [...disposition.matchAll(PARAMETER)].map(([, key = "", quoted, plain = ""]) => [
      key.toLowerCase(),
      quoted === undefined ? plain : quoted.replaceAll('\\"', '"').replaceAll("%22", '"'),
    ]),
  );
  const isEncoded = own["filename*"] !== undefined && filename !== undefined;
  return { field: own["name"] ?? name, file: isEncoded ? filename : (own["filename"] ?? filename) };
}

const FAULTS: Readonly<Record<MultipartError["_tag"], string>> = {
  InvalidBoundary: "its content-type names no boundary",
  BadHeaders: "the headers of a part cannot be read",
  InvalidDisposition: "the headers of a part cannot be read",
  ReachedLimit: `a field other than ${FIELD} is larger than ${MAX_FIELD_BYTES} bytes`,
  EndNotReached: "it ends before its last boundary",
};

function faultText({ _tag: fault }: MultipartError): string {
  return FAULTS[fault];
}

function badForm(reason: string): EngineError {
  return new EngineError("invalid_input", `the body is no complete multipart/form-data: ${reason}`);
}
