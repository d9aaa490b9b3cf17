import type { Context } from "hono";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Crew } from "../crew/crew.ts";
import { entryRecord, type CrewEntry } from "../crew/entry.ts";
import { findCrew } from "../crew/find-crew.ts";
import { requireInputs } from "../crew/required-inputs.ts";
import { startRun } from "./kickoff.ts";
import type { HttpEnv } from "./services.ts";

/** Starts a run that does something else with the crew of the path than kick it off, and answers as a kickoff does. */
export async function enterCrew(
  c: Context<HttpEnv, "/:name/*">,
  given: {
    readonly inputs?: JsonObject | undefined;
    readonly id?: string | undefined;
    readonly meta?: JsonObject | undefined;
  },
  entryOf: (crew: Crew) => CrewEntry,
) {
  const name = c.req.param("name");
  const { inputs = {}, id, meta } = given;
  const found = await findCrew(c.var.services, c.var.caller.tenant, name);
  const entry = entryOf(found.crew);
  // The person of a chat gives the inputs in the course of it.
  const names = entry.action === "chat" ? [] : found.crew.requiredInputs;
  requireInputs({ names, of: "crew" }, inputs);
  return startRun(c, id, {
    kind: "crew",
    name,
    inputs,
    entry: entryRecord(entry),
    ...(found.source === "stored" ? { definition: found.definition as JsonValue } : undefined),
    ...(meta === undefined ? undefined : { meta }),
  });
}
