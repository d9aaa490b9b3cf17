import { describe, expect, it } from "vitest";
import { HttpWorld, type AskOptions } from "../../support/http-app.ts";

const world = new HttpWorld();
const JSON_TYPE = { "content-type": "application/json" };

/** Asks, and holds what comes against what every problem must be. */
async function problem(path: string, options: AskOptions) {
  const answer = await world.ask(path, options);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.json).toMatchObject({
    type: "about:blank",
    status: answer.status,
    title: expect.any(String),
    detail: expect.any(String),
    code: expect.any(String),
  });
  return answer;
}

describe("bodies other than JSON", () => {
  it("is refused with line, column, the expected text and the actual one", async () => {
    const { status, json } = await problem("/crews/greeting/kickoff", {
      body: '{"inputs": {\n  "topic": tea}}',
      headers: JSON_TYPE,
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: "invalid_input",
      detail: 'the request body is not JSON: at line 2, column 12 expected a value, got "tea}}"',
    });
  });

  it.each(["\u000b\f", " \n", "\u00a0", "\u2028"])(
    "is refused when it has blanks alone, as %j",
    async (body) => {
      const { status, json } = await problem("/runs/some-run/cancel", { body, headers: JSON_TYPE });
      expect(status).toBe(400);
      expect(json["detail"]).toMatch(/^the request body is not JSON: /);
    },
  );

  it("is refused when it is not UTF-8", async () => {
    const { status, json } = await problem("/crews/greeting/kickoff", {
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
      headers: JSON_TYPE,
    });
    expect(status).toBe(400);
    expect(json["detail"]).toBe("the request body must be UTF-8 text, got bytes that are not");
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", ""])(
    "is 415 with the content-type %j",
    async (type) => {
      const { status, json, headers } = await problem("/crews/greeting/kickoff", {
        body: new TextEncoder().encode("{}"),
        headers: type === "" ? {} : { "content-type": type },
      });
      expect(status).toBe(415);
      expect(json["detail"]).toBe(
        `the body's content-type must be application/json, got ${type === "" ? "none" : type}`,
      );
      expect(headers.get("accept")).toBe("application/json");
    },
  );

  it.each(["application/json; charset=utf-8", "application/vnd.api+json", "APPLICATION/JSON"])(
    "is taken with the content-type %j",
    async (type) => {
      expect(
        (
          await world.ask("/crews/greeting/kickoff", {
            body: "{}",
            headers: { "content-type": type },
          })
        ).status,
      ).toBe(202);
    },
  );
});

function nested(depth: number): string {
  return `{"inputs":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
}

describe("oversized bodies", () => {
  const small = new HttpWorld({ limits: { maxBodyBytes: 100 } });
  const large = JSON.stringify({ inputs: { text: "x".repeat(200) } });

  it("is 413 by its Content-Length", async () => {
    const { status, json } = await small.ask("/crews/greeting/kickoff", {
      body: large,
      headers: { ...JSON_TYPE, "content-length": String(large.length) },
    });
    expect(status).toBe(413);
    expect(json).toMatchObject({
      code: "payload_too_large",
      detail: `the request body may have at most 100 bytes, got ${large.length}`,
    });
  });

  it("is 413 when it does not say its length, once it is received and dropped", async () => {
    let pulled = 0;
    const long = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulled > 100) return controller.close();
        controller.enqueue(new Uint8Array(60).fill(0x20));
      },
    });
    const { status } = await small.ask("/crews/greeting/kickoff", {
      body: long,
      headers: JSON_TYPE,
    });
    expect([status, pulled]).toEqual([413, 101]);
  });

  it("is 413 for definitions too", async () => {
    expect(
      (await small.ask("/crews/new", { method: "PUT", body: large, headers: JSON_TYPE })).status,
    ).toBe(413);
  });

  it("may be a mebibyte by default", async () => {
    const text = "x".repeat(1024 * 1024 - 100);
    expect(
      (await world.ask("/crews/greeting/kickoff", { json: { inputs: { text } } })).status,
    ).toBe(202);
    expect(
      (await world.ask("/crews/greeting/kickoff", { json: { inputs: { text: `${text}${text}` } } }))
        .status,
    ).toBe(413);
  });

  it("may be nested 100 deep and no deeper", async () => {
    const { status, json } = await problem("/crews/greeting/kickoff", {
      body: nested(500_000),
      headers: JSON_TYPE,
    });
    expect(status).toBe(400);
    expect(json["detail"]).toBe("the request body must be nested at most 100 deep, got more");
    expect(
      (await problem("/crews/nested", { method: "PUT", body: nested(500_000), headers: JSON_TYPE }))
        .status,
    ).toBe(400);
  });
});

describe("fields", () => {
  it.each([
    ["/crews/greeting/kickoff", [], "", "expected object, got array []"],
    ["/crews/greeting/kickoff", "hello", "", 'expected object, got string "hello"'],
    ["/crews/greeting/kickoff", null, "", "expected object, got null"],
    ["/crews/greeting/kickoff", { inputs: 3 }, "/inputs", "expected object, got number 3"],
    ["/crews/greeting/kickoff", { inputs: ["a"] }, "/inputs", 'expected object, got array ["a"]'],
    [
      "/crews/greeting/kickoff",
      { id: "no spaces" },
      "/id",
      'expected text that matches /^[A-Za-z0-9_-]{1,64}$/, got string "no spaces"',
    ],
    ["/crews/greeting/kickoff", { id: 7 }, "/id", "expected string, got number 7"],
    ["/crews/greeting/kickoff", { input: {} }, "/input", "is not a known field"],
    ["/crews/greeting/kickoff", { "a/b~c": 1 }, "/a~1b~0c", "is not a known field"],
    ["/runs/some-run/cancel", { reason: 5 }, "/reason", "expected string, got number 5"],
    [
      "/runs/some-run/cancel",
      { reason: "r".repeat(1001) },
      "/reason",
      `expected at most 1000 characters, got string "${"r".repeat(79)}… (1003 characters)`,
    ],
    ["/runs/some-run/resume", { approve: "yes" }, "/approve", 'expected boolean, got string "yes"'],
    ["/runs/some-run/resume", { answer: 1 }, "/answer", "is not a known field"],
    ["/runs/some-run/pause", { now: true }, "/now", "is not a known field"],
    [
      "/runs/some-run/fork",
      {},
      "",
      "expected either fromTask, fromMethod, fromStep, fromCheckpoint, fromStart, fromFailure or edit, got neither",
    ],
    [
      "/runs/some-run/replay",
      { fromTask: "a", fromStep: "b" },
      "",
      "expected either fromTask, fromMethod, fromStep, fromCheckpoint, fromStart, fromFailure or edit, got fromTask and fromStep",
    ],
    [
      "/runs/some-run/fork",
      { fromTask: "a", fromMethod: "b", fromCheckpoint: "c" },
      "",
      "expected either fromTask, fromMethod, fromStep, fromCheckpoint, fromStart, fromFailure or edit, got fromTask and fromMethod and fromCheckpoint",
    ],
    [
      "/runs/some-run/fork",
      { fromTask: "" },
      "/fromTask",
      'expected at least 1 characters, got string ""',
    ],
    ["/keys", { scopes: ["run"] }, "/tenant", "expected string, got nothing"],
    [
      "/keys",
      { tenant: "a b", scopes: ["run"] },
      "/tenant",
      'expected text that matches /^[A-Za-z0-9_-]{1,64}$/, got string "a b"',
    ],
    ["/keys", { tenant: "a", scopes: [] }, "/scopes", "expected at least 1 items, got array []"],
    [
      "/keys",
      { tenant: "a", scopes: ["write"] },
      "/scopes/0",
      'expected one of "run", "read", "answer", "admin", got string "write"',
    ],
    ["/admin/reindex", { ids: "run-1" }, "/ids", 'expected array, got string "run-1"'],
  ])("of POST %s with %j are reported at %j", async (path, ...[json, pointer, message]) => {
    const { status, json: body } = await problem(path, { json });
    expect(status).toBe(400);
    expect(body["code"]).toBe("invalid_input");
    expect(body["errors"]).toContainEqual({ path: pointer, message });
  });

  it("are all reported at once", async () => {
    const { json } = await problem("/crews/greeting/kickoff", {
      json: { inputs: 1, id: "?", more: 2, evenMore: 3 },
    });
    expect(json["errors"]).toHaveLength(4);
    expect(json["detail"]).toContain("(and 3 more)");
  });

  it("may be snake_case, but not twice", async () => {
    const id = await world.kickoff();
    const fork = { method: "POST", json: { from_task: "greet" } };
    expect((await world.ask(`/runs/${id}/fork`, fork)).status).toBe(202);
    const { json } = await problem(`/runs/${id}/fork`, {
      json: { from_task: "greet", fromTask: "greet" },
    });
    expect(json["errors"]).toEqual([{ path: "/from_task", message: "is not a known field" }]);
  });
});

describe("inputs", () => {
  it("are each reported with their path when missing", async () => {
    const { status, json } = await problem("/crews/briefing/kickoff", { json: {} });
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([
      { path: "/inputs/topic", message: "is needed by the crew's texts, got nothing" },
    ]);
  });

  it("are missing as well when there is no body", async () => {
    expect((await problem("/crews/briefing/kickoff", { method: "POST" })).json["code"]).toBe(
      "invalid_input",
    );
  });

  it("do not come from properties of every object", async () => {
    const put = {
      name: "odd",
      agents: { a: { role: "A", goal: "g", backstory: "b" } },
      tasks: [{ description: "Do {toString}", expectedOutput: "x", agent: "a" }],
    };
    expect((await world.ask("/crews/odd", { method: "PUT", json: put })).status).toBe(201);
    expect((await problem("/crews/odd/kickoff", { json: {} })).json["errors"]).toMatchObject([
      { path: "/inputs/toString" },
    ]);
    expect((await problem("/crews/toString/kickoff", { json: {} })).status).toBe(404);
  });
});

describe("queries", () => {
  it.each([
    ["/runs?limit=0", "/limit", 'expected at least 1, got string "0"'],
    ["/runs?limit=201", "/limit", 'expected at most 200, got string "201"'],
    ["/runs?limit=ten", "/limit", 'expected number, got string "ten"'],
    ["/runs?limit=1&limit=2", "/limit", 'expected number, got array ["1","2"]'],
    [
      "/runs?kind=team",
      "/kind",
      'expected one of "crew", "batch", "task", "agent", "flow", got string "team"',
    ],
    [
      "/runs?status=done",
      "/status",
      'expected one of "queued", "running", "waiting", "completed", "failed", "cancelled", got string "done"',
    ],
    ["/runs?state=done", "/state", "is not a known field"],
    [
      "/runs/some-run/journal?values=yes",
      "/values",
      'expected one of "0", "1", "false", "true", "cut", got string "yes"',
    ],
    ["/keys?limit=-1", "/limit", 'expected at least 1, got string "-1"'],
  ])("such as %s are reported at %s", async (path, pointer, message) => {
    const { status, json } = await problem(path, {});
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([{ path: pointer, message }]);
  });

  it.each([
    "/runs?cursor=rubbish",
    "/crews?cursor=rubbish",
    "/crews?cursor=%00%ff",
    "/crews?cursor=YWZ0ZXI",
    "/keys?cursor=rubbish",
  ])("with a foreign cursor are refused: %s", async (path) => {
    const { status, json } = await problem(path, {});
    expect(status).toBe(400);
    expect(json["code"]).toBe("invalid_input");
  });

  it("for a journal with a foreign cursor are refused", async () => {
    const id = await world.kickoff();
    expect((await problem(`/runs/${id}/journal?cursor=rubbish`, {})).status).toBe(400);
  });
});

describe("Idempotency-Key", () => {
  it("must equal the id of the body if there is one", async () => {
    const { status, json } = await problem("/crews/greeting/kickoff", {
      json: { id: "one" },
      headers: { "idempotency-key": "two" },
    });
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([
      { path: "/id", message: 'expected "two", as in Idempotency-Key, or nothing, got "one"' },
    ]);
  });
});
