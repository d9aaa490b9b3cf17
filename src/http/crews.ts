import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { crewFromDefinition, readCrewDefinition } from "../crew/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { crewView, storedCrewView, type CrewDetails, type CrewView } from "./crew-view.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";
import { readDefinitionBody } from "./definition-body.ts";
import { noCrew } from "../crew/find-crew.ts";
import { invalidInput } from "./problem.ts";
import { query } from "./query.ts";
import { NAME_PATTERN, pageQuery } from "./schemas.ts";
import { MAX_BODY_BYTES, type AppServices, type HttpEnv } from "./services.ts";

export const crews = new Hono<HttpEnv>()
  .get("/", allow("read"), query(pageQuery), async (c) => {
    const { cursor, limit } = c.req.valid("query");
    return c.json<Page<CrewView>>(
      await listCrews(c.var.services, c.var.caller.tenant, { after: keyOfCursor(cursor), limit }),
    );
  })
  .get("/:name", allow("read"), async (c) => {
    const name = c.req.param("name");
    const { crews: registered, definitions } = c.var.services;
    if (Object.hasOwn(registered, name))
      return c.json<CrewDetails>(crewView(name, "code", registered[name] as Crew));
    const stored = await definitions.get(c.var.caller.tenant, "crew", name);
    if (stored === undefined) throw noCrew(name);
    return c.json<CrewDetails>(storedCrewView(c.var.services, stored));
  })
  .put("/:name", allow("admin"), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    refuseRegistered(services, name);
    if (!NAME_PATTERN.test(name)) {
      throw new EngineError(
        "invalid_input",
        `a crew's name may have up to 128 letters and digits with " ", "_", "." and "-" between, got ${preview(name)}`,
      );
    }
    const sent = await readDefinitionBody(c);
    const given = sent.placed(() => readCrewDefinition(sent.value));
    if (given.name !== undefined && given.name !== name) {
      throw invalidInput("the definition does not fit its path", [
        {
          path: "/name",
          message: `expected ${preview(name)} or nothing, got ${preview(given.name)}`,
        },
      ]);
    }
    const definition = { ...given, name };
    const crew = sent.placed(() => crewFromDefinition(definition, services));
    refuseGrown(definition, services);
    const entry = { name, definition: definition as JsonValue, nowMs: services.clock.now() };
    const isNew = await services.definitions.put(caller.tenant, "crew", entry);
    const details: CrewDetails = { ...crewView(name, "stored", crew), definition };
    return isNew
      ? c.json(details, 201, { location: `/crews/${encodeURIComponent(name)}` })
      : c.json(details, 200);
  })
  .delete("/:name", allow("admin"), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    refuseRegistered(services, name);
    if (!(await services.definitions.delete(caller.tenant, "crew", name))) throw noCrew(name);
    return c.body(null, 204);
  });

/** Registered crews by name, then stored ones. A stored crew whose name the code has taken is hidden. */
async function listCrews(
  services: AppServices,
  tenant: string,
  page: { after: string | undefined; limit: number },
): Promise<Page<CrewView>> {
  const { after = "code:", limit } = page;
  const items: CrewView[] = [];
  if (after.startsWith("code:")) {
    const names = Object.keys(services.crews)
      .filter((name) => name > after.slice("code:".length))
      .toSorted();
    for (const name of names.slice(0, limit))
      items.push(crewView(name, "code", services.crews[name] as Crew));
    if (names.length > limit)
      return { items, nextCursor: cursorAfter(`code:${items.at(-1)?.name ?? ""}`) };
  }
  const afterName = after.startsWith("stored:") ? after.slice("stored:".length) : undefined;
  const left = limit - items.length;
  const rows = await services.definitions.list(tenant, "crew", { afterName, limit: left + 1 });
  for (const row of rows.slice(0, left)) {
    if (Object.hasOwn(services.crews, row.name)) continue;
    const { definition: _, ...view } = storedCrewView(services, row);
    items.push(view);
  }
  if (rows.length <= left) return { items };
  return { items, nextCursor: cursorAfter(`stored:${rows[left - 1]?.name ?? afterName ?? ""}`) };
}

function refuseRegistered({ crews: registered }: AppServices, name: string): void {
  if (!Object.hasOwn(registered, name)) return;
  throw new EngineError(
    "conflict",
    `crew "${name}" is part of the deployed code: change it there, or take another name`,
  );
}

/** YAML aliases can make a definition larger than the text that it came as. */
function refuseGrown(definition: object, { limits }: AppServices): void {
  const { maxBodyBytes = MAX_BODY_BYTES } = limits ?? {};
  const bytes = new TextEncoder().encode(JSON.stringify(definition)).byteLength;
  if (bytes <= maxBodyBytes) return;
  throw new EngineError(
    "payload_too_large",
    `the definition may have at most ${maxBodyBytes} bytes as JSON, got ${bytes}`,
  );
}
