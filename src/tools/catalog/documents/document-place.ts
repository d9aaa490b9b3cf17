import type { Chunking } from "../../../knowledge/chunk.ts";
import type { BroughtDocument } from "../../../knowledge/load-document.ts";

/** Something that is searched: a file, a site, a repository. */
export type DocumentPlace = {
  /** The same for the same documents, read in the same way: what their collection is found by. */
  readonly key: string;
  /** What people call it. */
  readonly label: string;
  /** How long its documents may be taken as they were, in milliseconds. @default for good: the key says what is in them */
  readonly maxAgeMs?: number;
  /** Says what the documents are, where that is known without reading them. */
  readonly version?: string;
  /** Finds the documents, in recorded steps. */
  readonly documents: () => Promise<readonly BroughtDocument[]>;
};

/** How documents are cut, by the names of their readers. */
const CHUNKING: Readonly<Record<string, Chunking>> = {
  csv: { size: 1200 },
  json: { size: 2000, overlap: 200 },
  xml: { size: 2500, overlap: 250 },
  docx: { size: 2500, overlap: 250 },
  html: { size: 2500, overlap: 250 },
  markdown: { size: 3000, overlap: 300 },
};

/** How a document of a type is cut: as text, unless its type has a way of its own. */
export function chunkingOf(type: string | undefined): Chunking {
  return CHUNKING[type ?? "text"] ?? { size: 1500, overlap: 150 };
}
