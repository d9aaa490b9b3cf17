import type { DocumentReader } from "../document-text.ts";
import { checkLength, TextBuilder } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { readMarkup } from "./markup.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum length of a shown path; names of elements are short. */
const MAX_PATH = 200;

/**
 * Reads XML as a line for each text and each attribute, after the path of its element: `catalog/book/title: Leaves of
 * Grass`.
 */
export const xmlReader: DocumentReader = {
  name: "xml",
  mediaTypes: ["application/xml", "text/xml"],
  extensions: [".xml"],
  read: async (bytes, limits) => {
    const xml = decodeText(bytes);
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
    return builder.build();
  },
};
