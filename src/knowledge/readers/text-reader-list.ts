import { csvReader } from "./csv-reader.ts";
import { jsonLinesReader, jsonReader } from "./json-reader.ts";
import { notebookReader } from "./notebook-reader.ts";
import { subtitleReader } from "./subtitle-reader.ts";
import { markdownReader, plainTextReader } from "./text-readers.ts";
import { yamlReader } from "./yaml-reader.ts";

/** Readers of text documents. */
export const TEXT_READERS = [
  plainTextReader,
  markdownReader,
  jsonReader,
  jsonLinesReader,
  csvReader,
  yamlReader,
  notebookReader,
  subtitleReader,
];
