import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import { gunzip } from "../files/gunzip.ts";
import { untar } from "../files/tar.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { chunkingOf } from "./document-place.ts";
import { isLeftOut, readerOf } from "./text-files.ts";

type Unpacked = ReadonlyMap<
  string,
  { readonly bytes: Uint8Array<ArrayBuffer>; readonly reader: string }
>;

/** Readers of plain text formats, without documents to unpack. */
const TEXT_READERS = new Set([
  "text",
  "markdown",
  "csv",
  "json",
  "jsonl",
  "yaml",
  "notebook",
  "subtitles",
  "xml",
  "html",
]);
const MAX_FILE_BYTES = 100_000;
const MAX_FILES = 200;
const MAX_UNPACKED_BYTES = 200 << 20;

/**
 * Returns the text files of a packed repository, named by `root` and their paths in it. The archive is loaded again
 * only if a crash lost it.
 */
export async function tarballDocuments(
  io: ToolIo,
  root: string,
  load: () => Promise<Uint8Array>,
): Promise<readonly BroughtDocument[]> {
  let unpacked: Unpacked | undefined;
  const files = async (): Promise<Unpacked> => (unpacked ??= filesIn(await load()));
  const paths = await io.context.step(`files:${root}`, async () =>
    [...(await files())].map(([path, { reader }]) => ({ path, reader })),
  );
  return paths.map(({ path, reader }) => ({
    name: root + path,
    chunking: chunkingOf(reader),
    load: async () => {
      const file = (await files()).get(path);
      if (file === undefined)
        throw serviceFailure({ code: "not_found", message: `${path} is no longer there.` });
      return { bytes: file.bytes, type: reader };
    },
  }));
}

/** Returns the files below the top folder of a tarball. */
function filesIn(tarball: Uint8Array): Unpacked {
  const files = new Map<string, { readonly bytes: Uint8Array<ArrayBuffer>; reader: string }>();
  for (const { path, content } of untar(gunzip(tarball, MAX_UNPACKED_BYTES))) {
    const own = path.slice(path.indexOf("/") + 1);
    if (content.length > MAX_FILE_BYTES || isLeftOut(own)) continue;
    const reader = readerOf(content, { name: own });
    if (reader === undefined || !TEXT_READERS.has(reader)) continue;
    files.set(own, { bytes: new Uint8Array(content), reader });
    if (files.size === MAX_FILES) break;
  }
  return files;
}
