import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { D1DefinitionStore } from "../../../src/cloudflare/stores/d1-definition-store.ts";
import type { KeyStore } from "../../../src/parts/key-store.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

describe("paths and methods", () => {
  const world = new HttpWorld();

  it("answers 404 as a problem for unknown paths", async () => {
    const { status, json, headers } = await world.ask("/nowhere");
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toEqual({
      type: "about:blank",
      title: "Not Found",
      status: 404,
      code: "not_found",
      detail: "no route matches /nowhere; /docs lists all routes",
    });
  });

  it.each([
    ["PATCH", "/crews/greeting", "DELETE, GET, HEAD, PUT"],
    ["GET", "/crews/greeting/kickoff", "POST"],
    ["POST", "/openapi.json", "GET, HEAD"],
    ["PUT", "/runs/run-1/cancel", "POST"],
  ])("answers 405 with Allow for %s %s", async (method, path, allowed) => {
    const { status, json, headers } = await world.ask(path, { method });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe(allowed);
    expect(json["detail"]).toBe(`${path} takes ${allowed}, got ${method}`);
  });

  it("does not mind a slash at the end", async () => {
    expect((await world.ask("/crews/")).status).toBe(200);
  });
});

describe("errors", () => {
  class BrokenDefinitions extends D1DefinitionStore {
    readonly #error: unknown;
    constructor(error: unknown) {
      super(sqliteD1());
      this.#error = error;
    }
    override async get(): Promise<never> {
      throw this.#error;
    }
  }

  it("shows details of a bug only in the report", async () => {
    const bug = new TypeError("secret-host:5432 is undefined");
    const world = new HttpWorld({ definitions: new BrokenDefinitions(bug) });
    const { status, text } = await world.ask("/crews/any");
    expect(status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: "internal", title: "Internal Server Error" });
    expect(text).not.toContain("secret-host");
    expect(world.reported).toEqual([bug]);
  });

  it("asks for patience when it is known how long", async () => {
    const error = new EngineError("unavailable", "the database rests", {
      retryable: true,
      retryAfterMs: 1500,
    });
    const { status, headers, json } = await new HttpWorld({
      definitions: new BrokenDefinitions(error),
    }).ask("/crews/any");
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("2");
    expect(json["detail"]).toBe("the database rests");
  });

  it("answers problems also when authentication fails", async () => {
    const keys = {
      find: async () => Promise.reject(new EngineError("unavailable", "no database")),
    } as unknown as KeyStore;
    const world = new HttpWorld({ keys, auth: { mode: "keys" } });
    expect((await world.ask("/crews", { key: "x" })).status).toBe(503);
  });
});
