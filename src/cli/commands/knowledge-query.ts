import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import type { SnippetsView } from "../../client/index.ts";

/** `edgecrew knowledge query`: searches the documents of a collection. */
export const knowledgeQuery = command({
  name: "knowledge query",
  serves: true,
  about: "search the documents of a collection",
  args: "<collection> <query>",
  example: "edgecrew knowledge query handbook 'how long is the warranty'",
  options: {
    limit: { about: "maximum number of passages", value: "n", integer: { least: 1, most: 50 } },
  },
  run: async ({ client, out }, { args: [collection = "", query = ""], options: { limit } }) => {
    const { knowledge } = await client();
    const more = limit === undefined ? {} : { limit };
    const found = await knowledge.query(collection, query, more);
    const value = found as unknown as JsonValue;
    out.table({ rows: found.items, value, none: "No passage was found." }, [
      { title: "SCORE", of: ({ score }) => (score === null ? "words" : score.toFixed(3)) },
      { title: "WHERE", of: placeOf },
      { title: "TEXT", of: ({ text }) => text },
    ]);
    if (found.degraded !== undefined) out.note(`! ${found.degraded}`);
  },
});

function placeOf({ document, page, row, line, sheet }: SnippetsView["items"][number]): string {
  const place = [
    sheet,
    page === undefined ? undefined : `page ${page}`,
    row === undefined ? undefined : `row ${row}`,
    line === undefined ? undefined : `line ${line}`,
  ].find((each) => each !== undefined);
  return place === undefined ? document.name : `${document.name}, ${place}`;
}
