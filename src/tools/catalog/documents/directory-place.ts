// Files of a folder of the workspace.
import { digestHex } from "../../../base/bytes.ts";
import { folderPrefix, runWorkspace } from "../../../files/workspace.ts";
import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { inWorkspace, readWorkspaceFile } from "../files/workspace-file.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";
import { isLeftOut, readerOf } from "./text-files.ts";

const MAX_FILES = 200;
const MAX_BYTES = 50_000_000;

type Listed = { readonly path: string; readonly sha256: string };

/** Returns a folder without hidden files, packages and files unreadable as text. */
export async function directoryPlace(io: ToolIo, folder: string): Promise<DocumentPlace> {
  const prefix = await inWorkspace(async () => folderPrefix(folder));
  const files = await io.context.step(`folder:${prefix}`, () => filesIn(io, prefix));
  const listed = new TextEncoder().encode(JSON.stringify(files));
  const { workspace = runWorkspace(io.scope.runId) } = io.services;
  return {
    key: JSON.stringify(["folder", workspace, prefix]),
    label: prefix === "" ? "the workspace" : prefix,
    version: await digestHex(listed),
    documents: async () => {
      const readers = await io.context.step(`readers:${prefix}`, () => readersOf(io, files));
      return readers.map(({ path, reader }): BroughtDocument => ({
        name: path,
        chunking: chunkingOf(reader),
        load: async () => ({ ...(await readWorkspaceFile(io, path)), type: reader }),
      }));
    },
  };
}

async function filesIn(io: ToolIo, prefix: string): Promise<readonly Listed[]> {
  const all = await inWorkspace(() => io.files.list(prefix));
  if (all.length === 0)
    throw serviceFailure({
      code: "not_found",
      message: `There are no files in ${prefix === "" ? "the workspace" : JSON.stringify(prefix)}.`,
    });
  const files: Listed[] = [];
  let bytes = 0;
  for (const { path, sha256, bytes: length } of all) {
    bytes += length;
    if (isLeftOut(path.slice(prefix.length))) continue;
    if (files.length === MAX_FILES || bytes > MAX_BYTES) break;
    files.push({ path, sha256 });
  }
  return files;
}

/** Returns the readable files with their readers. */
async function readersOf(
  io: ToolIo,
  files: readonly Listed[],
): Promise<readonly { readonly path: string; readonly reader: string }[]> {
  const found: { path: string; reader: string }[] = [];
  for (const { path } of files) {
    const file = await io.files.read(path);
    const reader = file && readerOf(file.content, { name: path, declared: file.mediaType });
    if (reader !== undefined) found.push({ path, reader });
  }
  return found;
}
