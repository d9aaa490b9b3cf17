import * as z from "zod";
import { folderPrefix, type WorkspaceFile } from "../../../files/workspace.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { Archive, ARCHIVE_TYPES, type ArchiveFormat } from "./archive.ts";
import { fileOptions, isYes, ownPath, yesOrNo } from "./file-options.ts";
import { inWorkspace, readWorkspaceFile, writeNewFile } from "./workspace-file.ts";

const FORMATS = Object.keys(ARCHIVE_TYPES) as ArchiveFormat[];
const MAX_BYTES = 100_000_000;
const MAX_FILES = 2000;

/** Packs a file or a folder of the workspace. */
export const fileCompressor = catalogTool({
  className: "FileCompressorTool",
  displayName: "File Compressor Tool",
  group: "files",
  service: "files",
  effectClass: "W",
  description: "Packs a file or a folder of the workspace into one file: zip, tar or tar.gz.",
  input: () =>
    z.object({
      input_path: z.string().min(1).describe("File or folder in the workspace"),
      output_path: z.string().optional().describe("Where the packed file is written"),
      overwrite: yesOrNo(),
      format: z.string().optional().describe("zip (the default), tar or tar.gz"),
    }),
  options: () => z.object(fileOptions()),
  run: async ({ input_path: input, output_path, overwrite, format = "zip" }, { baseDir }, io) => {
    const form = formatOf(format);
    const from = ownPath(input, baseDir).replace(/(?<=.)\/+$/, "");
    const name = isRoot(from) ? "workspace" : from;
    const path = ownPath(output_path ?? `${name}.${form}`, baseDir);
    if (!path.endsWith(`.${form}`)) throw badRequest(`${path} must end in .${form}.`);
    const files = (await filesAt(io, from)).filter((each) => each.path !== path);
    const archive = new Archive(form, io.context.now());
    for (const { path: each, name: packedAs } of files) {
      const { bytes } = await readWorkspaceFile(io, each);
      archive.add(packedAs, bytes);
    }
    const packed = archive.end();
    const written = await writeNewFile(io, {
      path,
      bytes: packed,
      mediaType: ARCHIVE_TYPES[form],
      replaces: isYes(overwrite, "overwrite"),
    });
    return written === undefined
      ? `File ${path} already exists and overwrite option was not passed.`
      : toolResult({
          text: `Packed ${files.length} ${files.length === 1 ? "file" : "files"} into ${written.path} (${written.bytes} bytes).`,
          files: [written],
        });
  },
});

function formatOf(format: string): ArchiveFormat {
  const form = FORMATS.find((each) => each === format.toLowerCase().replace(/^\./, ""));
  if (form !== undefined) return form;
  throw badRequest(`There is no format ${JSON.stringify(format)}: use ${FORMATS.join(", ")}.`);
}

/** Returns the files to pack, with their names in the archive. */
async function filesAt(
  io: ToolIo,
  path: string,
): Promise<readonly { readonly path: string; readonly name: string }[]> {
  const file = await inWorkspace(() =>
    isRoot(path) ? Promise.resolve(undefined) : io.files.stat(path),
  );
  const prefix = await inWorkspace(async () => (file === undefined ? folderPrefix(path) : ""));
  const files: readonly WorkspaceFile[] =
    file === undefined ? await inWorkspace(() => io.files.list(prefix)) : [file];
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  if (files.length === 0)
    throw serviceFailure({
      code: "not_found",
      message: `There is nothing at ${JSON.stringify(path)} in the workspace.`,
    });
  if (files.length > MAX_FILES || bytes > MAX_BYTES)
    throw serviceFailure({
      code: "too_large",
      message: `${path} has ${files.length} files of ${bytes} bytes; at most ${MAX_FILES} files of ${MAX_BYTES} bytes are packed.`,
    });
  return files.map((each) => ({
    path: each.path,
    name: file === undefined ? each.path.slice(prefix.length) : baseName(each.path),
  }));
}

function isRoot(path: string): boolean {
  return /^\.?\/?$/.test(path);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function badRequest(message: string): Error {
  return serviceFailure({ code: "bad_request", message });
}
