// The routes that the pages of docs/ name are routes of an app with every part.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { appParts } from "../../support/app-parts.ts";
import { HttpWorld } from "../../support/http-app.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const PAGES = globSync("docs/*.md", { cwd: root });
/** Parts that the world has of its own. */
const OWN = new Set(["crews", "agents", "flows", "tools", "crewai"]);
/** Routes on other servers, in the reader's own parts, of a development server, and of pages that are files. */
const ELSEWHERE =
  /^(POST <url>|GET …|POST …|\w+ \/(teas|tenants|reminders|kickoff|resume|inputs|status|dev|docs|openapi\.json|console)\b)/;

const { api } = new HttpWorld({ parts: appParts.filter(({ name }) => !OWN.has(name)) });
const routes = api.operations.map(({ method, path }) => ({
  method: method.toUpperCase(),
  segments: path.split("/"),
}));

it("finds the routes of the pages", () => {
  expect(
    routesOf("`GET /runs/:id/events` and `POST /crews/<name>/kickoff { a }`, not `GET`"),
  ).toEqual(["GET /runs/:id/events", "POST /crews/<name>/kickoff"]);
  expect(PAGES.flatMap((page) => routesOf(text(page))).length).toBeGreaterThan(150);
});

it.each(PAGES)("has each route that %s names", (page) => {
  const missing = routesOf(text(page)).filter((route) => !ELSEWHERE.test(route) && !exists(route));
  expect(missing).toEqual([]);
});

it("would miss a route that no part has", () => {
  expect(exists("GET /conversations/runs/:id/events")).toBe(true);
  expect(exists("GET /conversations/runs/:id/planted")).toBe(false);
  expect(exists("DELETE /conversations/runs/:id/events")).toBe(false);
});

/** `GET /runs/:id` of code in a page, without its query and body. */
function routesOf(markdown: string): readonly string[] {
  return Array.from(
    markdown.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^\s`?]+)[^`]*`/g),
    ([, route = ""]) => route,
  );
}

function exists(route: string): boolean {
  const [method, path = ""] = route.split(" ");
  const asked = path.split("/");
  return routes.some((known) => known.method === method && fits(known.segments, asked));
}

/** Placeholders of a page may have other names, or be values. */
function fits(known: readonly string[], asked: readonly string[]): boolean {
  const rest = known.findIndex((segment) => segment.startsWith("{+"));
  const compared = rest < 0 ? known : known.slice(0, rest);
  return (
    (rest < 0 ? asked.length === known.length : asked.length > rest) &&
    compared.every((segment, place) => segment.startsWith("{") || segment === asked[place])
  );
}

function text(page: string): string {
  return readFileSync(`${root}/${page}`, "utf8");
}
