// Pages of items: the input of a response, and the messages of a conversation.
import * as z from "zod";
import type { ViewOf } from "../../parts/shape.ts";
import type { openAiInputItemsShape } from "./responses/schema.ts";

/** Query of a page. */
export const itemsQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().optional(),
});

/** Returns a page of items, which are listed oldest first. */
export function pageOfItems(
  items: ReadonlyArray<{ readonly id: string; readonly type: string }>,
  { limit, order, after }: z.output<typeof itemsQuery>,
): ViewOf<typeof openAiInputItemsShape> {
  const ordered = order === "asc" ? items : items.toReversed();
  const from = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  };
}
