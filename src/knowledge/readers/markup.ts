// XML as a stream of tags and texts, without a tree; other work runs in between.
import { EngineError } from "../../base/error.ts";
import type { ReadingWork } from "./reading-work.ts";

export type Attributes = Readonly<Record<string, string>>;

export type MarkupHandler = {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close: (name: string) => void;
  readonly text: (text: string) => void;
};

const PIECE_LENGTH = 32 * 1024;
const MAX_ATTRIBUTES = 1_000;

/** XML names come without their prefixes. Throws `limit_exceeded` for excessive work (RW1). */
export async function readMarkup(
  texts: Iterable<string>,
  handler: MarkupHandler,
  work: ReadingWork,
): Promise<void> {
  const { Parser } = await import("htmlparser2");
  let depth = 0;
  let attributes = 0;
  const parser = new Parser(
    {
      onopentagname: () => {
        attributes = 0;
        work.enter(++depth);
      },
      onattribute: () => {
        if (++attributes <= MAX_ATTRIBUTES) return;
        throw new EngineError(
          "limit_exceeded",
          `an element of the document has more than ${MAX_ATTRIBUTES} attributes, which is too many to read`,
        );
      },
      onopentag: (name, found) => handler.open(localName(name), found),
      onclosetag: (name) => {
        depth--;
        handler.close(localName(name));
      },
      ontext: handler.text,
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (const text of texts)
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      const piece = text.slice(at, at + PIECE_LENGTH);
      parser.write(piece);
      work.spend(piece.length * (1 + depth / 100));
      await work.pause();
    }
  parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns an attribute by its name without prefix. */
export function attribute(attributes: Attributes, local: string): string | undefined {
  for (const name in attributes) if (localName(name) === local) return attributes[name];
  return undefined;
}
