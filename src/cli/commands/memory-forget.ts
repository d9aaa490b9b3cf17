import type { EdgecrewClient } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { counted } from "../counted.ts";
import { everyPage } from "../every-page.ts";
import { timeOf } from "../time-option.ts";

type Filter = { scope?: string; categories?: string[]; olderThan?: string };

/** `edgecrew memory forget`: deletes memories that pass a filter. */
export const memoryForget = command({
  name: "memory forget",
  serves: true,
  about: "delete memories: by ids, or all that a filter lets through",
  args: "[ids...]",
  example: "edgecrew memory forget --scope /customers/acme --older-than 90d",
  options: {
    scope: { about: "at this path and below it", value: "path" },
    category: { about: "with any of these categories", value: "name", many: true },
    olderThan: { about: "made before: 30d, 12h, or a time", value: "age" },
  },
  run: async (context, { args: recordIds, options }) => {
    const { scope, category, olderThan } = options;
    const filter: Filter = {
      ...(scope === undefined ? {} : { scope }),
      ...(category.length === 0 ? {} : { categories: [...category] }),
      ...(olderThan === undefined
        ? {}
        : { olderThan: timeOf(olderThan, { option: "older-than", nowMs: context.clock.now() }) }),
    };
    if (recordIds.length === 0 && Object.keys(filter).length === 0)
      throw wrongUse("choose memories to forget: ids, --scope, --category or --older-than");
    if (recordIds.length > 0 && Object.keys(filter).length > 0)
      throw wrongUse("expected ids or a filter, got both");
    const client = await context.client();
    const ids = recordIds.length > 0 ? recordIds : await matching(client, filter);
    if (ids.length > 0)
      await confirm(context, `forget ${counted(ids.length, "memory", "memories")}`);
    // Deletes exactly the counted memories; newer ones stay.
    let forgotten = 0;
    for (let first = 0; first < ids.length; first += 1000)
      forgotten += await client.memory.forget({ recordIds: ids.slice(first, first + 1000) });
    context.out.result(
      { forgotten },
      () => `${counted(forgotten, "memory", "memories")} forgotten`,
    );
  },
});

async function matching(
  client: EdgecrewClient,
  { scope, categories, olderThan }: Filter,
): Promise<string[]> {
  const found = await everyPage((page) =>
    client.memory.list({
      ...page,
      includePrivate: true,
      ...(scope === undefined ? {} : { scope }),
      ...(categories === undefined ? {} : { categories }),
      ...(olderThan === undefined ? {} : { before: olderThan }),
    }),
  );
  return found.map(({ id }) => id);
}
