import { EngineError } from "../../base/error.ts";
import { placesIn, type TextPlace } from "../../base/text-place.ts";
import type { Placed, YamlNode } from "../../base/yaml.ts";
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { DataLimits, type DataNode } from "./data-text.ts";
import { decodeText } from "./decode-text.ts";
import { dataText } from "./json-reader.ts";
import { ReadingWork } from "./reading-work.ts";

/** Maximum length of a YAML text, which is parsed at once. */
const MAX_CHARACTERS = 2_000_000;

/** Reads YAML, of one document or several, as JSON is read. Scalars are texts: `007`, `1.10`, `yes`. */
export const yamlReader: DocumentReader = {
  name: "yaml",
  mediaTypes: ["application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml"],
  extensions: [".yaml", ".yml"],
  read: async (bytes, limits) => {
    const losses = new DocumentLosses();
    const text = decodeText(bytes, { encoding: limits.encoding, losses });
    checkLength(text.length, { maxCharacters: Math.min(MAX_CHARACTERS, limits.maxCharacters) });
    const { readYamlDocuments } = await import("../../base/yaml.ts");
    const documents = readYamlDocuments(text, (reason, { line, column }) => {
      return new EngineError(
        "invalid_input",
        `the document must be YAML: line ${line}, column ${column}: ${reason}`,
      );
    });
    const values = new YamlValues(text);
    const data = documents.map(({ node, root }) => values.dataOf(node, root, 0));
    const work = new ReadingWork("YAML");
    const { lines } = values;
    if (data.length === 1) return dataText(data[0] ?? "", limits, { work, losses, lines });
    return dataText(data, limits, { work, losses, lines: [1, ...lines] });
  },
};

/** Turns YAML into data, with the line of each value in the order of `dataLines`. */
class YamlValues {
  readonly lines: number[] = [];
  readonly #counts = new DataLimits("YAML");
  readonly #placeAt: (offset: number) => TextPlace;

  constructor(text: string) {
    this.#placeAt = placesIn(text);
  }

  dataOf(node: YamlNode, place: Placed | undefined, depth: number): DataNode {
    this.#counts.count(depth);
    this.lines.push(
      place === undefined ? (this.lines.at(-1) ?? 1) : this.#placeAt(place.offset).line,
    );
    const { children = [] } = place ?? {};
    if (typeof node === "string") return node;
    if (Array.isArray(node)) {
      const places = Array.isArray(children) ? (children as readonly Placed[]) : [];
      return (node as readonly YamlNode[]).map((item, index) =>
        this.dataOf(item, places[index], depth + 1),
      );
    }
    const places = Array.isArray(children) ? undefined : (children as ReadonlyMap<string, Placed>);
    const fields = [...(node as ReadonlyMap<string, YamlNode>)].map(
      ([key, value]) => [key, this.dataOf(value, places?.get(key), depth + 1)] as const,
    );
    return { fields };
  }
}
