import type { JsonValue } from "../../base/json.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { namedDocuments } from "../knowledge-documents.ts";
import { lossText, storedDocuments, uploadDocument } from "../knowledge-upload.ts";

const AT_ONCE = 4;

/** `edgecrew knowledge add`: documents into a collection. */
export const knowledgeAdd = command({
  name: "knowledge add",
  serves: true,
  about: "add documents to a collection: files, folders, globs, addresses",
  args: "<collection> <documents...>",
  example: "edgecrew knowledge add handbook docs 'policies/*.pdf' https://example.com/terms",
  options: {
    type: { about: "the reader, such as csv, if names do not say it", value: "type" },
    encoding: { about: "the encoding of texts, such as windows-1252", value: "name" },
    replace: { about: "also send stored documents again; asks first" },
  },
  run: async (
    context,
    { args: [collection = "", ...words], options: { type, encoding, replace } },
  ) => {
    const { out, cwd, signal } = context;
    const documents = namedDocuments(words, cwd);
    const client = await context.client();
    const stored = await storedDocuments(client, collection);
    const overwritten = documents.filter(({ name }) => stored.has(name));
    if (replace && overwritten.length > 0)
      await confirm(context, `replace ${counted(overwritten.length, "document")} in ${collection}`);
    const progress = (text: string): void => out.note(text);
    const plan = { client, collection, type, encoding, replace, signal, progress };
    let done = 0;
    const rows = await mapAtMost(documents, AT_ONCE, async (document) => {
      const row = await uploadDocument(document, stored.get(document.name), plan);
      done++;
      if (row.state !== "unchanged")
        progress(`${done}/${documents.length} ${row.state} ${row.name}`);
      return row;
    });
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: "No documents to add." }, [
      { title: "STATE", of: ({ state }) => state },
      { title: "CHUNKS", of: ({ chunks }) => String(chunks) },
      { title: "DOCUMENT", of: ({ name }) => name },
      { title: "NOT IN THE TEXT", of: lossText },
      { title: "ERROR", of: ({ error = "" }) => error },
    ]);
    const failed = rows.filter(({ state }) => state === "failed").length;
    if (failed === 0) return 0;
    out.fault(
      `${counted(failed, "document")} of ${rows.length} failed; fix them and run the command again: stored documents are not sent twice`,
    );
    return 1;
  },
});
