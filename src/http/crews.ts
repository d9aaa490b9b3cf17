import { Hono } from "hono/tiny";
import { preview, type JsonValue } from "../base/json.ts";
import { crewFromDefinition, readCrewDefinition } from "../crew/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { crewView, storedCrewView, type CrewDetails, type CrewView } from "./crew-view.ts";
import { keyOfCursor } from "./cursor.ts";
import { readDefinitionBody } from "./definition-body.ts";
import { noCrew } from "../crew/find-crew.ts";
import { invalidInput } from "./problem.ts";
import { query } from "./query.ts";
import { pageQuery } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";
import { checkName, listBoth, refuseGrown, refuseRegistered } from "./stored-definitions.ts";

export const crews = new Hono<HttpEnv>()
  .get("/", allow("read"), query(pageQuery), async (c) => {
    const { services, caller } = c.var;
    const { cursor, limit } = c.req.valid("query");
    const page = await listBoth<CrewView>(services, {
      kind: "crew",
      tenant: caller.tenant,
      registered: Object.keys(services.crews),
      ofCode: (name) => crewView(name, "code", services.crews[name] as Crew),
      ofStored: (row) => {
        const { definition: _, ...view } = storedCrewView(services, row);
        return view;
      },
      page: { after: keyOfCursor(cursor), limit },
    });
    return c.json<Page<CrewView>>(page);
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
    refuseRegistered(services.crews, "crew", name);
    checkName("crew", name);
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
    refuseRegistered(services.crews, "crew", name);
    if (!(await services.definitions.delete(caller.tenant, "crew", name))) throw noCrew(name);
    return c.body(null, 204);
  });
