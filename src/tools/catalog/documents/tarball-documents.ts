import type { BroughtDocument } from "../../../knowledge/load-document.ts";
import { gunzip } from "../files/gunzip.ts";
import { untar } from "../files/tar.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { chunkingOf } from "./document-place.ts";
import { isSearched, textType } from "./text-files.ts";

const MAX_FILE_BYTES = 100_000;
const MAX_FILES = 200;
const MAX_UNPACKED_BYTES = 200 << 20;

/** The text files of a packed repository, named by `root` and their paths in it. What is packed is loaded again only if a crash lost it. */
export async function tarballDocuments(
  io: ToolIo,
  root: string,
  load: () => Promise<Uint8Array>,
): Promise<readonly BroughtDocument[]> {
  let unpacked: ReadonlyMap<string, Uint8Array> | undefined;
  const files = async (): Promise<ReadonlyMap<string, Uint8Array>> =>
    (unpacked ??= filesIn(await load()));
  const paths = await io.context.step(`files:${root}`, async () => [...(await files()).keys()]);
  return paths.map((path) => ({
    name: root + path,
    chunking: chunkingOf(textType(path)),
    load: async () => {
      const bytes = (await files()).get(path);
      if (bytes === undefined)
        throw serviceFailure({ code: "not_found", message: `${path} is no longer there.` });
      return { bytes: new Uint8Array(bytes), type: textType(path) };
    },
  }));
}

/** Behind the folder that all files of a tarball lie in. */
function filesIn(tarball: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const { path, content } of untar(gunzip(tarball, MAX_UNPACKED_BYTES))) {
    const own = path.slice(path.indexOf("/") + 1);
    if (content.length > MAX_FILE_BYTES || !isSearched(own, content)) continue;
    files.set(own, content.slice());
    if (files.size === MAX_FILES) break;
  }
  return files;
}
