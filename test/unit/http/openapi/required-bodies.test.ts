import { expect, it } from "vitest";
import { appParts } from "../../../support/app-parts.ts";
import { HttpWorld } from "../../../support/http-app.ts";

/** Parts that `HttpWorld` has of its own. */
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai", "platform"]);

/** They say what is wrong with an empty body themselves: it names no point to begin at. */
const NEED_A_POINT = new Set(["forkRun", "replayRun"]);

it("requires a body exactly when an empty object does not fit", () => {
  const { api } = new HttpWorld({ parts: appParts.filter(({ name }) => !OWN.has(name)) });
  const wrong = api.operations.flatMap(({ id, body }) => {
    if (body === undefined || NEED_A_POINT.has(id)) return [];
    const isNeeded = !body.schema.safeParse({}).success;
    return body.required === isNeeded ? [] : [`${id}: expected required: ${isNeeded}`];
  });
  expect(wrong).toEqual([]);
});
