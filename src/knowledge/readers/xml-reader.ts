import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { checkLength, TextBuilder } from "../text-builder.ts";
import { decodeText, encodingOf } from "./decode-text.ts";
import { readMarkup } from "./markup.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum length of a shown path; names of elements are short. */
const MAX_PATH = 200;

/**
 * Reads XML as a line for each text and each attribute, after the path of its element: `catalog/book/title: Leaves of
 * Grass`.
 */
export const xmlReader: DocumentReader = {
  ...DOCUMENT_FORMATS.xml,
  read: async (bytes, limits) => {
    const losses = new DocumentLosses();
    const xml = decodeText(bytes, { encoding: limits.encoding ?? declaredEncoding(bytes), losses });
    checkLength(xml.length, { maxCharacters: 4 * limits.maxCharacters });
    const builder = new TextBuilder(limits);
    const path: string[] = [];
    let text = "";
    const say = (name: string, value: string): void => {
      const said = value.replaceAll(/\s+/g, " ").trim();
      if (said !== "") builder.add(`${name.slice(-MAX_PATH)}: ${said}\n`);
    };
    const flush = (): void => {
      say(path.join("/"), text);
      text = "";
    };
    await readMarkup(
      [xml],
      {
        open: (name, attributes) => {
          flush();
          path.push(name);
          for (const [attribute, value] of Object.entries(attributes))
            if (!/^xmlns(:|$)/.test(attribute)) say(`${path.join("/")}@${attribute}`, value);
        },
        close: () => {
          flush();
          path.pop();
        },
        text: (piece) => {
          text += piece;
        },
      },
      new ReadingWork("XML"),
    );
    flush();
    return { ...builder.build(), ...losses.report() };
  },
};

/** Returns the encoding in the declaration of an XML document; undefined for UTF-8 and UTF-16, which their bytes show. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  const label = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w:.-]+)/.exec(start)?.[1];
  if (label === undefined || /^utf-?(?:8|16)/i.test(label)) return undefined;
  return encodingOf(`text/xml; charset=${label}`);
}
