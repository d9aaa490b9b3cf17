// Types of sources, by CrewAI's names.
import { inWorkspace } from "../files/workspace-file.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { DocumentPlace } from "./document-place.ts";
import { filePlace } from "./file-place.ts";
import { githubPlace } from "./github-place.ts";
import { sitePlace } from "./site-place.ts";
import { textPlace } from "./text-place.ts";
import { channelPlace, videoPlace } from "./youtube-place.ts";

/** Readers of files by type. */
const READERS = {
  pdf_file: "pdf",
  text_file: "text",
  csv: "csv",
  json: "json",
  xml: "xml",
  docx: "docx",
  mdx: "markdown",
} as const;

export const DATA_TYPES = [
  "file",
  "pdf_file",
  "text_file",
  "csv",
  "json",
  "xml",
  "docx",
  "mdx",
  "github",
  "website",
  "docs_site",
  "youtube_video",
  "youtube_channel",
  "text",
] as const;

export type DataType = (typeof DATA_TYPES)[number];

/** Type of a file by the ending of its name. */
const ENDINGS: readonly (readonly [RegExp, DataType])[] = [
  [/\.pdf$/i, "pdf_file"],
  [/\.(?:csv|tsv)$/i, "csv"],
  [/\.(?:mdx?|markdown)$/i, "mdx"],
  [/\.docx$/i, "docx"],
  [/\.json$/i, "json"],
  [/\.xml$/i, "xml"],
  [/\.(?:txt|text|log)$/i, "text_file"],
  [/\.(?:xls[xmb]?|ods|html?|jsonl|ndjson|ya?ml|ipynb|eml|mbox|srt|vtt)$/i, "file"],
];

/** Options of `dataPlace` beside the source. */
type DataOptions = {
  /** @default detected from the source */
  readonly type?: DataType | undefined;
  /** Includes the code of repositories. */
  readonly code: boolean;
};

/** Returns the place of a source of any type. */
export async function dataPlace(
  io: ToolIo,
  source: string,
  { type, code }: DataOptions,
): Promise<DocumentPlace> {
  const found = type ?? (await typeOf(io, source));
  switch (found) {
    case "github":
      return githubPlace(io, source, { content: ["code", "repo"], code });
    case "website":
    case "docs_site":
      return sitePlace(io, source, undefined);
    case "youtube_video":
      return videoPlace(io, source);
    case "youtube_channel":
      return channelPlace(io, source);
    case "text":
      return textPlace(source);
    case "file":
      return filePlace(io, source, {});
    default:
      return filePlace(io, source, { type: READERS[found] });
  }
}

/**
 * Detects the type of a source: an address, a file of the workspace, or a text. Throws the failure `not_found` for the
 * name of a missing file.
 */
async function typeOf(io: ToolIo, source: string): Promise<DataType> {
  if (/^https?:\/\//i.test(source) && URL.canParse(source)) return typeOfUrl(new URL(source));
  const named = ENDINGS.find(([ending]) => ending.test(source))?.[1];
  const isOneLine = source.length <= 255 && !/[\n\r]/.test(source);
  if (named !== undefined && isOneLine && !/\s/.test(source)) return named;
  if (!isOneLine || io.services.files === undefined) return "text";
  const isThere = await io.context.step(`type:${source}`, async () => {
    try {
      return (await inWorkspace(() => io.files.read(source))) !== undefined;
    } catch {
      return false; // a text that is not a path
    }
  });
  return isThere ? (named ?? "file") : "text";
}

function typeOfUrl({ hostname, pathname }: URL): DataType {
  const named = ENDINGS.find(([ending]) => ending.test(pathname))?.[1];
  const host = hostname.replace(/^(?:www|m)\./, "");
  if (host === "github.com" && /^\/[\w.-]+\/[\w.-]+\/?$/.test(pathname)) return "github";
  if (host === "youtu.be") return "youtube_video";
  if (host === "youtube.com")
    return /^\/(?:watch|shorts|embed|live|v)\b/.test(pathname)
      ? "youtube_video"
      : "youtube_channel";
  if (named !== undefined) return named;
  return hostname.includes("docs") || pathname.includes("docs") ? "docs_site" : "website";
}
