import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { httpTool } from "../base/catalog-tool.ts";
import { DRIVE, DRIVE_HOSTS, DRIVE_TOKEN } from "./google-drive-api.ts";

/** Lists the files of a Google Drive. */
export const googleDriveListFiles = httpTool({
  className: "GoogleDriveListFilesTool",
  otherNames: ["google_drive_list_files"],
  displayName: "google_drive_list_files",
  group: "files",
  service: "Google Drive",
  effectClass: "R",
  cache: false,
  description: "Lists files and folders of a Google Drive: names, ids, types.",
  input: () =>
    z.object({
      page_size: z.int().min(1).max(1000).default(10),
      folder_id: z
        .string()
        .regex(/^[\w-]+$/)
        .optional()
        .describe("Only what is in this folder"),
      query: z.string().optional().describe("In Drive's terms, such as name contains 'tea'"),
    }),
  options: () => z.object({}),
  env: [DRIVE_TOKEN],
  hosts: DRIVE_HOSTS,
  request: ({ page_size: pageSize, folder_id: folder, query }) => ({
    url: DRIVE,
    query: {
      pageSize,
      q: [folder && `'${folder}' in parents`, query && `(${query})`, "trashed = false"]
        .filter(Boolean)
        .join(" and "),
      fields: "nextPageToken,files(id,name,mimeType,modifiedTime,size)",
      supportsAllDrives: true,
      includeItemsFromAllDrives: true,
    },
  }),
  answer: () =>
    z.looseObject({
      files: z.array(z.looseObject({ id: z.string(), name: z.string(), mimeType: z.string() })),
      nextPageToken: z.string().optional(),
    }),
  result: ({ files, nextPageToken }) => {
    const lines = files.map(({ id, name, mimeType }) => `${name} (${mimeType}): ${id}`);
    if (nextPageToken !== undefined) lines.push("There are more: ask for a larger page_size.");
    return toolResult({ text: lines.join("\n") || "There are no files.", data: files as never });
  },
});
