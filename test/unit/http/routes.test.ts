import { expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";
import { pathOf, Routes } from "../../../src/http/routes.ts";

const routes = new Routes(new HttpWorld().api.operations);

it.each([
  ["/%63rews", "/crews"],
  ["/a%2Fb/c%3Ad", "/a%2Fb/c%3Ad"],
  ["/a%252Fb", "/a%252Fb"],
  ["/%E2%80%A8%0A", "/\u2028\n"],
  ["/%FF/a%41", "/%FF/aA"],
  ["/%zz%", "/%zz%"],
])("takes %s for the path %j", (asked, path) => {
  expect(pathOf(new Request(`http://localhost${asked}?a=%41#b`))).toBe(path);
});

it.each([
  ["GET /runs/a%2Fb", { id: "getRun", params: { id: "a/b" } }],
  ["HEAD /runs/a%252Fb/", { id: "getRun", params: { id: "a%2Fb" } }],
  ["GET /runs/%41b%FF", { id: "getRun", params: { id: "Ab%FF" } }],
  ["DELETE /crews", undefined],
  ["OPTIONS /crews", undefined],
])("finds what %s asks for", (request, expected) => {
  const [method = "", asked = ""] = request.split(" ");
  const found = routes.find(method, pathOf(new Request(`http://localhost${asked}`)));
  const shown = found && { id: found.operation.id, params: found.params };
  expect(shown).toEqual(expected);
});

it("answers HEAD as GET, without a body", async () => {
  const { app } = new HttpWorld();
  const response = await app.request("/crews", { method: "HEAD" });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/json",
  ]);
  expect(await response.text()).toBe("");
});
