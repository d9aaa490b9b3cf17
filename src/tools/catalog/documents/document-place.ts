import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import type { Chunking } from "../../../knowledge/chunk.ts";

/** Search source: a file, a site, a repository. */
export type DocumentPlace = {
  /** Key of the collection, equal for the same documents read in the same way. */
  readonly key: string;
  /** Name for people. */
  readonly label: string;
  /**
   * Time for which the read documents stay valid, in milliseconds. @default for good: the key identifies their content
   */
  readonly maxAgeMs?: number;
  /** Version of the documents, if it is known without reading them. */
  readonly version?: string;
  /** Lists the documents, in recorded steps. */
  readonly documents: () => Promise<readonly BroughtDocument[]>;
};

/** Sizes of chunks by the name of the reader. */
const CHUNKING: Readonly<Record<string, Chunking>> = {
  csv: { size: 1200 },
  jsonl: { size: 1200 },
  xlsx: { size: 1200 },
  ods: { size: 1200 },
  json: { size: 2000, overlap: 200 },
  xml: { size: 2500, overlap: 250 },
  docx: { size: 2500, overlap: 250 },
  html: { size: 2500, overlap: 250 },
  markdown: { size: 3000, overlap: 300 },
};

/** Returns the chunking of a type; the default is that of text. */
export function chunkingOf(type: string | undefined): Chunking {
  return CHUNKING[type ?? "text"] ?? { size: 1500, overlap: 150 };
}
