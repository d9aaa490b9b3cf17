import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { fileName } from "../base/file-name.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { DRIVE, DRIVE_HOSTS, DRIVE_TOKEN } from "./google-drive-api.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
/** Export formats of documents in Drive's own formats, and the endings of the exported files. */
const EXPORTS: Readonly<Record<string, readonly [mime: string, ending: string]>> = {
  document: [`${OFFICE}.wordprocessingml.document`, "docx"],
  spreadsheet: ["text/csv", "csv"],
  presentation: [`${OFFICE}.presentationml.presentation`, "pptx"],
  drawing: ["image/png", "png"],
};
const GOOGLE = "application/vnd.google-apps.";

const about = () => z.looseObject({ id: z.string(), name: z.string(), mimeType: z.string() });

/** Downloads a file of a Google Drive to the run's workspace. */
export const googleDriveDownloadFile = catalogTool({
  className: "GoogleDriveDownloadFileTool",
  otherNames: ["google_drive_download_file"],
  displayName: "google_drive_download_file",
  group: "files",
  service: "Google Drive",
  effectClass: "W",
  description:
    "Saves a file of a Google Drive in the workspace; Google's own documents in a common format.",
  input: () =>
    z.object({
      file_id: z
        .string()
        .regex(/^[\w-]+$/)
        .describe("Id of the file"),
      mime: z
        .string()
        .optional()
        .describe("Format for Google's own documents, such as application/pdf"),
    }),
  options: () => z.object({ folder: z.string().default("drive") }),
  takes: { mime_type: "mime" },
  env: [DRIVE_TOKEN],
  hosts: DRIVE_HOSTS,
  timeoutMs: 120_000,
  run: async ({ file_id: id, mime }, { folder }, io) => {
    const url = `${DRIVE}/${id}`;
    const { data: file } = about().safeParse(
      (await io.send({ url, query: { fields: "id,name,mimeType", supportsAllDrives: true } })).body,
    );
    if (file === undefined) throw badResponse("Google Drive");
    const kind = file.mimeType.startsWith(GOOGLE) ? file.mimeType.slice(GOOGLE.length) : undefined;
    const exported = kind === undefined ? undefined : EXPORTS[kind];
    if (kind !== undefined && exported === undefined && mime === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: `${file.name} is a ${kind}, which cannot be saved as a file.`,
      });
    const type = kind === undefined ? file.mimeType : (mime ?? exported?.[0] ?? "");
    const { bytes } = await io.send({
      ...(kind === undefined
        ? { url, query: { alt: "media", supportsAllDrives: true } }
        : { url: `${url}/export`, query: { mimeType: type } }),
      expects: "bytes",
    });
    const ending = kind === undefined ? undefined : endingOf(type, exported);
    const name = fileName(file.name) || id;
    const isNamed = ending === undefined || name.toLowerCase().endsWith(`.${ending}`);
    const saved = await io.files.write(
      `${folder}/${isNamed ? name : `${name}.${ending}`}`,
      bytes,
      type,
    );
    return toolResult({
      text: `Saved as ${saved.path} (${saved.mediaType}, ${saved.bytes} bytes).`,
      data: { path: saved.path, mediaType: saved.mediaType, bytes: saved.bytes },
      files: [saved],
    });
  },
});

function endingOf(
  type: string,
  exported: readonly [string, string] | undefined,
): string | undefined {
  if (exported?.[0] === type) return exported[1];
  return (
    Object.values(EXPORTS).find(([mime]) => mime === type)?.[1] ??
    /\/(pdf|plain|html)$/.exec(type)?.[1]?.replace("plain", "txt")
  );
}
