import { EngineError } from "../../../src/client/index.ts";
import type { StepRow } from "../../api-types.ts";
import { client } from "../../api.ts";

/** Reads one complete row of the journal. Uses the page around it if the Worker lacks a request for one row. */
export async function readStep(id: string, key: string): Promise<StepRow> {
  try {
    return await client.runs.handle(id).step(key);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    for (let cursor: string | undefined; ;) {
      const page = await client.runs.handle(id).journal({ cursor, limit: 200, values: true });
      const found = page.items.find((step) => step.key === key);
      if (found !== undefined) return found;
      if (page.nextCursor === undefined) throw error;
      cursor = page.nextCursor;
    }
  }
}
