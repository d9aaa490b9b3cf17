import { expect, it } from "vitest";
import { headersFile, PAGE_HEADERS } from "../../../src/access/page-headers.ts";
import { console } from "../../../src/entry/console.ts";
import { accessWorld } from "../../support/access-world.ts";
import type { HttpWorld, HttpWorldOptions } from "../../support/http-app.ts";

const FILES: Readonly<Record<string, string>> = {
  "/console/": "<title>Console</title>",
  "/console/assets/main-1a2b.js": "start()",
};

/** A world whose assets are these files; what they are asked for is in `asked`. */
function withAssets(options: HttpWorldOptions = {}): { world: HttpWorld; asked: string[] } {
  const asked: string[] = [];
  const fetch = async ({ url }: Request): Promise<Response> => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    const file = FILES[pathname];
    return file === undefined ? new Response("", { status: 404 }) : new Response(file);
  };
  const { env } = accessWorld().services;
  return {
    world: accessWorld({ env: Object.assign({}, env, { ASSETS: { fetch } }), ...options }),
    asked,
  };
}

const page = { accept: "text/html,*/*" };

it("CPG1: answers links into the console with its page, and missing files with 404 (CO39)", async () => {
  const { world, asked } = withAssets();
  for (const path of ["/console/", "/console/runs/abc", "/console/crews/a.b?tab=1"]) {
    const answer = await world.ask(path, { headers: page });
    expect([answer.status, answer.text]).toEqual([200, "<title>Console</title>"]);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  }
  const asset = await world.ask("/console/assets/main-1a2b.js", { headers: page });
  expect([asset.status, asset.text]).toEqual([200, "start()"]);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  expect((await world.ask("/console/assets/gone.js", { headers: page })).status).toBe(404);
  expect((await world.ask("/console/favicon.ico", { headers: { accept: "image/*" } })).status).toBe(
    404,
  );
  expect(asked).not.toContain("/");
});

it("links to the console, and leaves the API where it is (CO39)", async () => {
  const { world } = withAssets();
  for (const path of ["/", "/console"]) {
    const { status, headers } = await world.ask(path, { headers: page });
    expect([status, headers.get("location")]).toEqual([307, "/console/"]);
  }
  const crews = await world.ask("/crews", { headers: page });
  expect([crews.status, crews.json["code"]]).toEqual([401, "unauthorized"]);
});

it("names the missing configuration when no assets are bound (CO39)", async () => {
  const answer = await accessWorld().ask("/console/", { headers: page });
  expect([answer.status, answer.json["code"]]).toEqual([503, "not_configured"]);
  expect(answer.json["detail"]).toContain('binding = \\"ASSETS\\"'.replaceAll("\\", ""));
  expect(answer.json["detail"]).toContain("directory = ");
});

it("CPG2: sends the headers of assets with every page of the Worker", async () => {
  const { world } = withAssets();
  const { headers } = await world.ask("/console/", { headers: page });
  for (const [name, value] of Object.entries(PAGE_HEADERS)) {
    expect(headers.get(name)).toBe(value);
    expect(headersFile()).toContain(`  ${name}: ${value}\n`);
  }
});

it("is at its configured path, below the base path of the app", async () => {
  const { world } = withAssets({ parts: console({ path: "/ops" }), basePath: "/ai" });
  expect((await world.ask("/ops", { headers: page })).headers.get("location")).toBe("/ai/ops/");
  expect((await world.ask("/ops/runs", { headers: page })).text).toContain("Console");
  expect((await world.ask("/console/", { headers: page })).status).toBe(401);
  expect(() => console({ path: "ops" })).toThrow("path must begin with a slash");
});

it("serves only the session API with pages off, and no route without the part", async () => {
  const api = withAssets({ parts: console({ pages: false }), auth: { mode: "open" } });
  expect((await api.world.ask("/console/", { headers: page })).status).toBe(404);
  expect((await api.world.ask("/session")).status).toBe(200);
  const none = withAssets({ parts: [], auth: { mode: "open" } });
  for (const path of ["/", "/console/", "/session"])
    expect((await none.world.ask(path)).status).toBe(404);
});
