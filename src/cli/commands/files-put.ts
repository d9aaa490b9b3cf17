import { openAsBlob, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { bytesText } from "../bytes-text.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";

/** `edgecrew files put`: stores a file of this machine. */
export const filesPut = command({
  name: "files put",
  serves: true,
  about: "store a file, to be named in inputs of runs",
  args: "<path>",
  example: "edgecrew files put report.pdf --expires 86400",
  options: {
    name: { about: "name, if it differs from the local one", value: "name" },
    type: { about: "its media type, if bytes and name do not say it", value: "type" },
    expires: {
      about: "lifetime in seconds",
      value: "seconds",
      integer: { least: 60, most: 31_536_000 },
    },
  },
  run: async ({ client, out, cwd, signal }, { args: [path = ""], options }) => {
    const { name = basename(path), type, expires } = options;
    const file = resolve(cwd, path);
    if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false))
      throw wrongUse(`there is no file ${path}`);
    const stored = await (
      await client()
    ).files.upload(await openAsBlob(file), {
      name,
      signal,
      ...(type === undefined ? {} : { mediaType: type }),
      ...(expires === undefined ? {} : { expires }),
    });
    out.result(stored, () => stored.id);
    out.note(`${stored.name}  ${stored.mediaType}  ${bytesText(stored.bytes)}`);
  },
});
