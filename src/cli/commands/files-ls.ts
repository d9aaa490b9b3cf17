import type { JsonValue } from "../../base/json.ts";
import type { FileKind } from "../../client/index.ts";
import { bytesText } from "../bytes-text.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { age } from "../times.ts";

/** `edgecrew files ls`: stored files, newest first. */
export const filesLs = command({
  name: "files ls",
  serves: true,
  about: "list files, newest first",
  example: "edgecrew files ls --kind image",
  options: {
    kind: { about: "image, audio, video, pdf, text or other", value: "kind" },
    run: { about: "only inputs of this run", value: "id" },
    limit: { about: "maximum number", value: "n", integer: { least: 1, most: 200 } },
    cursor: { about: "next cursor of the last list", value: "cursor" },
  },
  run: async ({ client, out, clock }, { options }) => {
    const { kind, limit = 50, cursor } = options;
    const edgecrew = await client();
    const run = options.run === undefined ? undefined : await findRun(edgecrew, options.run);
    const page = await edgecrew.files.list({
      limit,
      ...(kind === undefined ? {} : { kind: kind as FileKind }),
      ...(run === undefined ? {} : { run }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const nowMs = clock.now();
    const value = page as unknown as JsonValue;
    out.table({ rows: page.items, value, none: "There are no such files." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "SIZE", of: ({ bytes }) => bytesText(bytes) },
      { title: "TYPE", of: ({ mediaType }) => mediaType },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      { title: "NAME", of: ({ name }) => name },
    ]);
    if (page.nextCursor !== undefined && !out.isJson)
      out.note(`There are more: --cursor ${page.nextCursor}`);
  },
});
