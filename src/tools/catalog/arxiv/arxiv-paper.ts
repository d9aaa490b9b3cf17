import * as z from "zod";
import { workspacePath, type WorkspaceFile } from "../../../files/workspace.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { fileName } from "../base/file-name.ts";
import { REQUEST_RETRY } from "../base/request-retry.ts";
import { sourcesOf } from "../base/results.ts";
import { badResponse, isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readFeed, type Paper } from "./arxiv-feed.ts";

const MAX_PDF_BYTES = 20 << 20;
const MAX_SUMMARY = 300;

/** Papers of arXiv, and their PDFs in the run's workspace. */
export const arxivPaper = catalogTool({
  className: "ArxivPaperTool",
  displayName: "Arxiv Paper Fetcher and Downloader",
  group: "search",
  service: "arXiv",
  effectClass: "R",
  description: ({ downloadPdfs }) =>
    `Finds papers on arXiv: titles, authors, summaries, links.${downloadPdfs ? " Saves their PDFs." : ""}`,
  input: () =>
    z.object({
      search_query: z.string().max(1000).describe("What to look for, such as transformer networks"),
      max_results: z.int().min(1).max(100).default(5),
    }),
  options: () =>
    z.object({
      downloadPdfs: z.boolean().default(false),
      saveDir: z
        .string()
        .default("./arxiv_pdfs")
        .refine(isPath, { error: "expected a path in the workspace" }),
      useTitleAsFilename: z.boolean().default(false),
    }),
  takes: { query: "search_query" },
  hosts: ["export.arxiv.org", "arxiv.org"],
  maxChars: 16_000,
  minIntervalMs: 3000,
  run: async ({ search_query: query, max_results: most }, { downloadPdfs, ...where }, io) => {
    const search = (): Promise<readonly Paper[]> => papersOf(query, most, io);
    // PDFs are steps of the call, so the list of papers must be recorded before them.
    const papers = downloadPdfs
      ? await io.context.step("search", search, { retry: REQUEST_RETRY })
      : await search();
    const files: WorkspaceFile[] = [];
    const blocks: string[] = [];
    for (const paper of papers) {
      const saved = downloadPdfs ? await savePdf(paper, where, io) : undefined;
      if (typeof saved === "object") files.push(saved);
      blocks.push(blockOf(paper, typeof saved === "object" ? `Saved: ${saved.path}` : saved));
    }
    return toolResult({
      text: blocks.join(`\n\n${"-".repeat(80)}\n\n`) || "Nothing was found.",
      data: papers,
      sources: sourcesOf(
        papers.map(({ url, title, published }) => ({ url, title, date: published })),
      ),
      files,
    });
  },
});

async function papersOf(query: string, most: number, io: ToolIo): Promise<readonly Paper[]> {
  const { body } = await io.send({
    url: "https://export.arxiv.org/api/query",
    query: { search_query: query, start: 0, max_results: most },
    expects: "text",
  });
  const papers = readFeed(typeof body === "string" ? body : "");
  if (papers === undefined) throw badResponse("arXiv", "no feed");
  const fault = papers.find(({ url }) => url.includes("/api/errors"));
  if (fault === undefined) return papers;
  throw serviceFailure({
    code: "bad_request",
    message: `arXiv did not accept the request: ${fault.summary}`,
  });
}

/** Returns the file of a paper's PDF, or a line with the reason for its absence. */
async function savePdf(
  paper: Paper,
  { saveDir, useTitleAsFilename }: { saveDir: string; useTitleAsFilename: boolean },
  io: ToolIo,
): Promise<WorkspaceFile | string | undefined> {
  const { id, title, pdfUrl } = paper;
  if (pdfUrl === undefined) return undefined;
  const ownName = id.replaceAll(".", "_");
  const name = fileName(useTitleAsFilename ? title : ownName) || ownName;
  const save = async (): Promise<WorkspaceFile> => {
    const { bytes } = await io.send({ url: pdfUrl, expects: "bytes", maxBytes: MAX_PDF_BYTES });
    if (new TextDecoder().decode(bytes.subarray(0, 5)) !== "%PDF-")
      throw badResponse("arXiv", "no PDF");
    return io.files.write(`${saveDir}/${name}.pdf`, bytes, "application/pdf");
  };
  try {
    return await io.context.step(`pdf:${id}`, save, { retry: REQUEST_RETRY });
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    return `Not saved: ${error.message}`;
  }
}

function blockOf({ title, authors, published, pdfUrl, summary }: Paper, saved?: string): string {
  return [
    `Title: ${title}`,
    `Authors: ${authors.join(", ")}`,
    `Published: ${published}`,
    `PDF: ${pdfUrl ?? "N/A"}`,
    saved,
    `Summary: ${summary.length > MAX_SUMMARY ? `${summary.slice(0, MAX_SUMMARY)}...` : summary}`,
  ]
    .filter(Boolean)
    .join("\n");
}

function isPath(path: string): boolean {
  try {
    return workspacePath(path) !== "";
  } catch {
    return false;
  }
}
