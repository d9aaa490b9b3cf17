import { EngineError } from "../../../src/client/index.ts";
import type { StepRow } from "../../api-types.ts";
import { api } from "../../api.ts";

/** One row of the journal whole; from the page around it where the Worker has no such request. */
export async function readStep(id: string, key: string): Promise<StepRow> {
  try {
    return await api.step(id, key);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    for (let cursor: string | undefined; ;) {
      // oxlint-disable-next-line no-await-in-loop -- a page names the next
      const page = await api.journal(id, { cursor, limit: 200, values: "1" });
      const found = page.items.find((step) => step.key === key);
      if (found !== undefined) return found;
      if (page.nextCursor === undefined) throw error;
      cursor = page.nextCursor;
    }
  }
}
