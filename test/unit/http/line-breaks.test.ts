import { expect, it } from "vitest";
import { pathPattern, routePath } from "../../../src/http/route-path.ts";
import { appParts } from "../../support/app-parts.ts";
import { HttpWorld } from "../../support/http-app.ts";

/** Parts that `HttpWorld` has of its own. */
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai", "platform"]);
const world = new HttpWorld({ parts: appParts.filter(({ name }) => !OWN.has(name)) });

it.each(world.api.operations.filter(({ path }) => path.includes("{+")).map(({ id }) => id))(
  "%s takes line breaks in its path",
  async (id) => {
    const { method, path } = world.api.operations.find((each) => each.id === id) ?? {
      method: "get",
      path: "",
    };
    for (const value of ["a%0Ab", "%0A", "a%0D%0A/b", "a%E2%80%A8b"]) {
      const asked = path.replace(/\{\+\w+\}/, value).replaceAll(/\{\w+\}/g, "none");
      const { status } = await world.ask(asked, { method: method.toUpperCase() });
      expect(status).not.toBe(405);
    }
  },
);

it("answers 405 with the methods of a path that has line breaks", async () => {
  const { status, headers } = await world.ask("/runs/none/files/a%0Ab", { method: "PUT" });
  expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

it("knows a route by its own words, colons and dots among them", () => {
  expect(routePath({ path: "/runs/{id}/files/{+path}" })).toBe("/runs/:id/files/:path{[^]+}");
  expect(pathPattern("/a2a/:name/message:send").test("/a2a/crew/message:send/")).toBe(true);
  expect(pathPattern("/a2a/:name/message:send").test("/a2a/crew/message:sent")).toBe(false);
  expect(pathPattern("/openapi.json").test("/openapi-json")).toBe(false);
  expect(pathPattern("/runs/:id/files/:path{[^]+}").test("/runs/1/files/a/b\nc")).toBe(true);
});
