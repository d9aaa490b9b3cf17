import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { PERSON_OPTION } from "../memory-fields.ts";
import { age } from "../times.ts";

/** `edgecrew memory ls`: memories, newest first. */
export const memoryLs = command({
  name: "memory ls",
  serves: true,
  about: "list memories, newest first",
  args: "[path]",
  example: "edgecrew memory ls /customers --category preference",
  options: {
    category: { about: "with any of these categories", value: "name", many: true },
    source: { about: "also the private ones of this source", value: "source" },
    ...PERSON_OPTION,
    private: { about: "also private ones of every source; needs an admin key" },
    limit: { about: "maximum number", value: "n", integer: { least: 1, most: 200 } },
    cursor: { about: "next cursor of the last list", value: "cursor" },
  },
  run: async ({ client, out, clock }, { args: [scope], options }) => {
    const { category, source, person, limit = 50, cursor } = options;
    const page = await (
      await client()
    ).memory.list({
      limit,
      ...(scope === undefined ? {} : { scope }),
      ...(category.length === 0 ? {} : { categories: category }),
      ...(source === undefined ? {} : { source }),
      ...(person === undefined ? {} : { person }),
      ...(options.private ? { includePrivate: true } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const nowMs = clock.now();
    const value = page as unknown as JsonValue;
    out.table({ rows: page.items, value, none: "No memory matches." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "SCOPE", of: (memory) => memory.scope },
      { title: "CATEGORIES", of: ({ categories }) => categories.join(", ") },
      { title: "IMPORTANCE", of: ({ importance }) => importance.toFixed(2) },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      { title: "CONTENT", of: ({ content }) => content },
    ]);
    if (page.nextCursor !== undefined && !out.isJson)
      out.note(`There are more: --cursor ${page.nextCursor}`);
  },
});
