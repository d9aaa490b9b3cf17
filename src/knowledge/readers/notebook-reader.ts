import { EngineError } from "../../base/error.ts";
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { DataLimits, fieldOf, isFields, itemsOf, type DataNode } from "./data-text.ts";
import { decodeText } from "./decode-text.ts";
import { JsonFault, parseJsonData } from "./json-data.ts";
import { ReadingWork } from "./reading-work.ts";

/** Jupyter notebooks of versions 3 and 4: texts as they are, code between fences, and the texts of outputs. */
export const notebookReader: DocumentReader = {
  name: "notebook",
  mediaTypes: ["application/x-ipynb+json"],
  extensions: [".ipynb"],
  read: async (bytes, limits) => {
    const work = new ReadingWork("notebook");
    const losses = new DocumentLosses();
    const notebook = await parsed(decodeText(bytes), work);
    const builder = new TextBuilder(limits);
    const language = textOf(
      fieldOf(fieldOf(fieldOf(notebook, "metadata"), "language_info"), "name"),
    );
    for (const cell of cellsOf(notebook))
      for (const block of blocksOf(cell, language || "python", losses)) {
        builder.add(`${builder.length === 0 ? "" : "\n\n"}${block}`);
        work.spend(block.length + 10);
        await work.pause();
      }
    return { ...builder.build(), format: "markdown", ...losses.report() };
  },
};

async function parsed(text: string, work: ReadingWork): Promise<DataNode> {
  try {
    const notebook = await parseJsonData(text, new DataLimits("notebook"), { work });
    if (isFields(notebook)) return notebook;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  throw new EngineError("invalid_input", "the document is no notebook: it is no JSON object");
}

/** Version 3 has cells in worksheets. */
function cellsOf(notebook: DataNode): readonly DataNode[] {
  const sheets = itemsOf(fieldOf(notebook, "worksheets"));
  const cells = [notebook, ...sheets].flatMap((each) => itemsOf(fieldOf(each, "cells")));
  if (cells.length > 0 || sheets.length > 0 || fieldOf(notebook, "cells") !== undefined)
    return cells;
  throw new EngineError("invalid_input", "the document is no notebook: it has no cells");
}

/** Texts of many lines are lists of lines. */
function textOf(node: DataNode | undefined): string {
  if (typeof node === "string") return node;
  return itemsOf(node)
    .filter((line) => typeof line === "string")
    .join("");
}

function* blocksOf(cell: DataNode, language: string, losses: DocumentLosses): Generator<string> {
  const type = textOf(fieldOf(cell, "cell_type"));
  const source = textOf(fieldOf(cell, "source") ?? fieldOf(cell, "input")).trimEnd();
  const level = Number(textOf(fieldOf(cell, "level")));
  if (source.trim() !== "")
    yield type === "code"
      ? fenced(source, language)
      : type === "heading"
        ? `${"#".repeat(Math.min(6, Math.max(1, level || 1)))} ${source.replaceAll(/\s+/g, " ")}`
        : source;
  if (isFields(fieldOf(cell, "attachments"))) losses.add("picture");
  for (const output of itemsOf(fieldOf(cell, "outputs"))) yield* outputBlocks(output, losses);
}

function fenced(text: string, language = ""): string {
  const fence = text.includes("```") ? "~~~~~" : "```";
  return `${fence}${language}\n${text}\n${fence}`;
}

function* outputBlocks(output: DataNode, losses: DocumentLosses): Generator<string> {
  const name = textOf(fieldOf(output, "ename"));
  if (name !== "") yield fenced(`${name}: ${textOf(fieldOf(output, "evalue"))}`);
  const data = fieldOf(output, "data") ?? output;
  const shown = ["text/markdown", "text/plain", "text"]
    .map((type) => textOf(fieldOf(data, type)))
    .find((text) => text.trim() !== "");
  const plain = shown === undefined ? "" : withoutColours(shown).trimEnd();
  const names = isFields(data) ? data.fields.map(([each]) => each) : [];
  const picture = names.find((each) => /^(?:image\/|png$|jpeg$|svg$)/.test(each));
  if (picture !== undefined) losses.add("picture", { example: picture });
  const other = names.find((each) => /^application\/(?!json)|^(?:video|audio)\//.test(each));
  if (other !== undefined && picture === undefined)
    losses.add("unknown_element", { example: other });
  // The text of a picture names an object: `<Figure size 640x480>`.
  if (plain.trim() !== "" && !(picture !== undefined && /^<[^<>]*>$/.test(plain.trim())))
    yield fenced(plain);
}

function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escapes of terminals
  return text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");
}
