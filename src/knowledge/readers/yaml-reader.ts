import { EngineError } from "../../base/error.ts";
import type { YamlNode } from "../../base/yaml.ts";
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
    const counts = new DataLimits("YAML");
    const data = documents.map((each) => dataOf(each, counts, 0));
    const work = new ReadingWork("YAML");
    return dataText(data.length === 1 ? (data[0] ?? "") : data, limits, { work, losses });
  },
};

function dataOf(node: YamlNode, counts: DataLimits, depth: number): DataNode {
  counts.count(depth);
  if (typeof node === "string") return node;
  if (Array.isArray(node))
    return (node as readonly YamlNode[]).map((item) => dataOf(item, counts, depth + 1));
  const fields = [...(node as ReadonlyMap<string, YamlNode>)].map(
    ([key, value]) => [key, dataOf(value, counts, depth + 1)] as const,
  );
  return { fields };
}
