// The document of a run as a stream of bytes, page by page.
//
//   XPS1. A page is read after the reader has taken the previous one: memory holds one page, for a run of any length.
//   XPS2. A truncated document is recognizable: the JSON has no end, the lines have no line `end`.
import type { ExportHead, ExportPage, ExportPlace } from "./export-page.ts";

/** `json`: one document. `lines`: NDJSON, with the head first, then lines `{ step }` and `{ event }`, and at last `{ end }`. */
export type ExportForm = "json" | "lines";

/** Streams a document from its first page, already read; `read` reads the others. */
export function exportStream(
  { head, ...first }: ExportPage & { readonly head: ExportHead },
  read: (place: ExportPlace) => Promise<ExportPage>,
  form: ExportForm,
): ReadableStream<Uint8Array> {
  const writer = form === "json" ? new JsonDocument() : new Lines();
  const encoder = new TextEncoder();
  let text = writer.begin(JSON.stringify(head)) + writer.items(first.steps, first.events);
  let { next } = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (text === "" && next !== undefined) {
          const page = await read(next);
          text = writer.items(page.steps, page.events);
          ({ next } = page);
        }
        if (next === undefined) text += writer.end();
        controller.enqueue(encoder.encode(text));
        text = "";
        if (next === undefined) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Writer {
  begin(head: string): string;
  items(steps: readonly string[], events: readonly string[]): string;
  end(): string;
}

class JsonDocument implements Writer {
  #list: "steps" | "events" = "steps";
  #isEmpty = true;

  begin(head: string): string {
    return `${head.slice(0, -1)},"steps":[`;
  }

  items(steps: readonly string[], events: readonly string[]): string {
    const text = this.#added(steps);
    return events.length === 0 ? text : text + this.#toEvents() + this.#added(events);
  }

  end(): string {
    return `${this.#toEvents()}]}`;
  }

  #toEvents(): string {
    if (this.#list === "events") return "";
    this.#list = "events";
    this.#isEmpty = true;
    return '],"events":[';
  }

  #added(items: readonly string[]): string {
    if (items.length === 0) return "";
    const text = `${this.#isEmpty ? "" : ","}${items.join(",")}`;
    this.#isEmpty = false;
    return text;
  }
}

class Lines implements Writer {
  #steps = 0;
  #events = 0;

  begin(head: string): string {
    return `${head}\n`;
  }

  items(steps: readonly string[], events: readonly string[]): string {
    this.#steps += steps.length;
    this.#events += events.length;
    const lines = [
      ...steps.map((text) => `{"step":${text}}\n`),
      ...events.map((text) => `{"event":${text}}\n`),
    ];
    return lines.join("");
  }

  end(): string {
    return `{"end":{"steps":${this.#steps},"events":${this.#events}}}\n`;
  }
}
