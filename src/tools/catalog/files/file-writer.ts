import * as z from "zod";
import { mediaTypeOf } from "../../../files/detection/media-type.ts";
import { utf8 } from "../../../files/workspace.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { fileOptions, isYes, ownPath, yesOrNo } from "./file-options.ts";
import { writeNewFile } from "./workspace-file.ts";

/** Writes a text to the workspace. */
export const fileWriter = catalogTool({
  className: "FileWriterTool",
  displayName: "File Writer Tool",
  group: "files",
  service: "files",
  effectClass: "W",
  description: "Writes a text into a file of the workspace.",
  input: () =>
    z.object({
      filename: z.string().min(1).describe("Name of the file"),
      content: z.string().describe("What is written"),
      directory: z.string().optional().describe("Its folder in the workspace"),
      overwrite: yesOrNo(),
    }),
  options: () => z.object(fileOptions()),
  run: async ({ filename, content, directory = "./", overwrite }, { baseDir }, io) => {
    const folder = ownPath(directory, baseDir).replace(/\/+$/, "");
    const isAlone = folder === "" || folder === ".";
    const path = ownPath(isAlone ? filename : `${folder}/${filename}`, baseDir);
    const bytes = utf8(content);
    const mediaType = mediaTypeOf(bytes, { name: path, size: bytes.length });
    const written = await writeNewFile(io, {
      path,
      bytes,
      mediaType,
      replaces: isYes(overwrite, "overwrite"),
    });
    return written === undefined
      ? `File ${path} already exists and overwrite option was not passed.`
      : toolResult({
          text: `Content successfully written to ${written.path}`,
          files: [written],
        });
  },
});
