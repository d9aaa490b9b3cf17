import { createWriteStream, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { JsonValue } from "../../base/json.ts";
import { bytesText } from "../bytes-text.ts";
import { CliFailure } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";

/** `edgecrew files get`: downloads a file. */
export const filesGet = command({
  name: "files get",
  serves: true,
  about: "load a file; -o - prints it",
  args: "<id>",
  example: "edgecrew files get 3f2a91 -o report.pdf",
  options: {
    output: { about: "target: a file, a folder, or -", value: "path", short: "o" },
  },
  run: async (context, { args: [id = ""], options: { output } }) => {
    const { out, cwd, signal } = context;
    const { files } = await context.client();
    const file = await files.get(id);
    if (output === "-") {
      const text = await (await files.content(id, { signal })).text();
      out.stdout.write(text);
      return;
    }
    // The name is untrusted, so its path is ignored.
    const name = basename(file.name.replaceAll("\\", "/")).replace(/^\.+/, "") || file.id;
    const wanted = resolve(cwd, output ?? name);
    const isFolder = statSync(wanted, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const path = isFolder ? join(wanted, name) : wanted;
    if (existsSync(path)) await confirm(context, `overwrite 1 file, ${path}`);
    const { body } = await files.content(id, { signal });
    await written(path, body as NodeStream<Uint8Array> | null);
    out.result({ ...(file as unknown as Record<string, JsonValue>), path }, () => path);
    out.note(`${file.mediaType}  ${bytesText(file.bytes)}`);
  },
});

/** Replaces the file only after a complete download. An interrupted one leaves the old file. */
async function written(path: string, body: NodeStream<Uint8Array> | null): Promise<void> {
  const partial = `${path}.part`;
  try {
    await pipeline(
      body === null ? Readable.from([]) : Readable.fromWeb(body),
      createWriteStream(partial),
    );
    renameSync(partial, path);
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new CliFailure(1, `${path} was not written: ${(cause as Error).message}`, { cause });
  }
}
