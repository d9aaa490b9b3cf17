import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { PERSON_OPTION } from "../memory-fields.ts";
import type { Column } from "../output.ts";
import type { RecalledMemories } from "../../client/index.ts";

type Recalled = RecalledMemories["items"][number];

/** `edgecrew memory recall`: searches memories. */
export const memoryRecall = command({
  name: "memory recall",
  serves: true,
  about: "search memories",
  args: "<query>",
  example: "edgecrew memory recall 'which tea they like' --scope /customers --explain",
  options: {
    scope: { about: "within this path", value: "path" },
    category: { about: "with any of these categories", value: "name", many: true },
    source: { about: "also the private ones of this source", value: "source" },
    ...PERSON_OPTION,
    private: { about: "also private ones of every source; needs an admin key" },
    depth: { about: "shallow asks no model", value: "depth", choices: ["shallow", "deep"] },
    limit: { about: "maximum number: default 5", value: "n", integer: { least: 1, most: 50 } },
    explain: { about: "print the parts of each score" },
  },
  run: async ({ client, out, clock }, { args: [query = ""], options }) => {
    const { scope, category, source, depth, person, limit = 5, explain } = options;
    const found = await (
      await client()
    ).memory.recall(query, {
      limit,
      ...(scope === undefined ? {} : { scope }),
      ...(category.length === 0 ? {} : { categories: [...category] }),
      ...(source === undefined ? {} : { source }),
      ...(person === undefined ? {} : { person }),
      ...(options.private ? { includePrivate: true } : {}),
      ...(depth === undefined ? {} : { depth: depth as "shallow" | "deep" }),
    });
    const value = found as unknown as JsonValue;
    const columns: Column<Recalled>[] = [
      { title: "SCORE", of: ({ score }) => score.toFixed(3) },
      ...(explain ? parts(clock.now()) : []),
      { title: "SCOPE", of: ({ record }) => record.scope },
      { title: "CONTENT", of: ({ record }) => record.content },
    ];
    out.table({ rows: found.items, value, none: "No memory matches." }, columns);
    if (found.degraded !== undefined) out.note(`! ${found.degraded}`);
  },
});

/** Columns for the parts of a score: similarity, recency, importance. */
function parts(nowMs: number): Column<Recalled>[] {
  return [
    { title: "SIMILARITY", of: ({ similarity }) => similarity.toFixed(3) },
    {
      title: "DAYS",
      of: ({ record }) => ((nowMs - Date.parse(record.createdAt)) / 86_400_000).toFixed(1),
    },
    { title: "IMPORTANCE", of: ({ record }) => record.importance.toFixed(2) },
    { title: "BECAUSE", of: ({ matchReasons }) => matchReasons.join(", ") },
  ];
}
