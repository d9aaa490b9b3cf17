// Runs by the beginning of their ids.
import { wrongUse } from "./cli-failure.ts";
import type { EdgecrewClient } from "../client/index.ts";
import { EngineError } from "../client/index.ts";

const LEAST = 6;
const LOOKED_THROUGH = 500;

/** The id of the one run that begins with a text. Throws exit code 2 for none, for several, and for fewer than six characters. */
export async function findRun(client: EdgecrewClient, text: string): Promise<string> {
  try {
    return (await client.runs.get(text)).id;
  } catch (error) {
    if (!EngineError.is(error) || !["not_found", "invalid_input"].includes(error.code)) throw error;
  }
  if (text.length < LEAST)
    throw wrongUse(
      `there is no run ${text}; the beginning of an id needs at least ${LEAST} characters`,
    );
  const found: string[] = [];
  let cursor: string | undefined;
  for (let looked = 0; looked < LOOKED_THROUGH;) {
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page = await client.runs.list({
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.items.map(({ id }) => id).filter((id) => id.startsWith(text)));
    looked += page.items.length;
    cursor = page.nextCursor;
    if (cursor === undefined || page.items.length === 0) break;
  }
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  throw wrongUse(
    found.length === 0
      ? `there is no run whose id begins with ${text}`
      : `${text} is the beginning of several runs: ${found.slice(0, 5).join(", ")}`,
    "edgecrew runs ls",
  );
}
