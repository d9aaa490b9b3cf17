import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse } from "../base/service-failure.ts";
import { CONTEXTUAL, CONTEXTUAL_TOOL, formWith, SERVICE } from "./contextual.ts";

const OUTPUTS = ["markdown-document", "markdown-per-page", "blocks-per-page"] as const;

const results = () =>
  z.looseObject({
    markdown_document: z.string().nullish(),
    pages: z.array(z.looseObject({ markdown: z.string().nullish() })).nullish(),
  });

/** Converts a document to Markdown. */
export const contextualParse = catalogTool({
  ...CONTEXTUAL_TOOL,
  className: "ContextualAIParseTool",
  displayName: "Contextual AI Document Parser",
  effectClass: "R",
  description: "Makes Markdown of a document in the workspace: PDF, Office, or an image of text.",
  input: () =>
    z.object({
      file_path: z.string().min(1).describe("Path in the workspace"),
      parse_mode: z.enum(["standard", "basic"]).default("standard"),
      figure_caption_mode: z.enum(["concise", "detailed"]).default("concise"),
      enable_document_hierarchy: z.boolean().default(true),
      page_range: z.string().optional().describe("Such as 0-5"),
      output_types: z.array(z.enum(OUTPUTS)).default(["markdown-per-page"]),
    }),
  options: () => z.object({}),
  run: async ({ file_path: path, output_types: outputs, ...fields }, _, io) => {
    const id = await io.poll<string>({
      start: async () => {
        const body = await formWith(io, { field: "raw_file", path, fields });
        const { body: begun } = await io.send({ method: "POST", url: `${CONTEXTUAL}/parse`, body });
        const { data } = z.looseObject({ job_id: z.string() }).safeParse(begun);
        if (data === undefined) throw badResponse(SERVICE);
        return data.job_id;
      },
      check: async (job) => {
        const { body } = await io.send({ url: `${CONTEXTUAL}/parse/jobs/${job}/status` });
        const { data } = z.looseObject({ status: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse(SERVICE);
        if (data.status === "completed") return { done: job };
        return ["failed", "cancelled"].includes(data.status)
          ? { failed: `it is ${data.status}` }
          : "running";
      },
      lookAgain: (job) => `GET ${CONTEXTUAL}/parse/jobs/${job}/status tells how it stands`,
    });
    const { body } = await io.send({
      url: `${CONTEXTUAL}/parse/jobs/${id}/results`,
      query: { output_types: outputs },
      maxBytes: 20 << 20,
    });
    const { data } = results().safeParse(body);
    if (data === undefined) throw badResponse(SERVICE);
    const pages = (data.pages ?? []).flatMap(({ markdown }) => markdown ?? []);
    const text = data.markdown_document ?? pages.join("\n\n");
    return toolResult({ text: text === "" ? JSON.stringify(body) : text, data: body });
  },
});
