import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";
import { lossText } from "../knowledge-upload.ts";
import { age } from "../times.ts";

/** `edgecrew knowledge ls`: collections, or the documents of one. */
export const knowledgeLs = command({
  name: "knowledge ls",
  serves: true,
  about: "list collections, or the documents of one",
  args: "[collection]",
  example: "edgecrew knowledge ls handbook",
  options: {},
  run: async ({ client, out, clock }, { args: [collection] }) => {
    const { knowledge } = await client();
    if (collection === undefined) {
      const rows = await everyPage((page) => knowledge.collections(page));
      const value = { items: rows } as unknown as JsonValue;
      return out.table({ rows, value, none: "There are no collections." }, [
        { title: "COLLECTION", of: ({ name }) => name },
        { title: "DOCUMENTS", of: ({ documents }) => String(documents) },
        { title: "CHUNKS", of: ({ chunks }) => String(chunks) },
      ]);
    }
    const rows = await everyPage((page) => knowledge.documents(collection, page));
    const nowMs = clock.now();
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: `There are no documents in ${collection}.` }, [
      { title: "ID", of: ({ id }) => id },
      { title: "STATE", of: ({ state }) => state },
      { title: "CHUNKS", of: ({ indexed, chunks }) => `${indexed}/${chunks}` },
      { title: "AGE", of: ({ updatedAt }) => age(updatedAt, nowMs) },
      { title: "NAME", of: ({ name }) => name },
      { title: "NOT IN THE TEXT", of: lossText },
      { title: "ERROR", of: ({ error = "" }) => error },
    ]);
  },
});
