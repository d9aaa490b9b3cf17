import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import {
  log,
  LOG_LEVELS,
  LOG_MESSAGES,
  logError,
  noted,
  setLog,
  type LogCode,
  type LogLevel,
} from "../../../src/base/log.ts";
import { ListenerPlan, onEvent } from "../../../src/events/listener.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import type { Part } from "../../../src/parts/part.ts";
import { operation } from "../../../src/parts/operation.ts";
import { tool } from "../../../src/tools/tool.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { readSource } from "../../support/source-files.ts";

const MARK = "MARKED";
const secret = (of: string): string => `${MARK}-${of}\n    at ${MARK} (${MARK}.ts:1:2)`;

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  for (const method of ["log", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  setLog("errors");
});

type Line = Readonly<Record<string, unknown>> & { readonly error?: Line; readonly cause?: Line };

function parsed(): Line[] {
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Throws in all ways that user code knows. */
function broken(of: string): Error {
  const error = new TypeError(secret(of), {
    cause: new EngineError("tool_failed", secret(`${of}-cause`), { failureCode: `${MARK}-code` }),
  });
  error.name = of.length % 2 === 0 ? "TypeError" : `${MARK}Error`;
  return error;
}

const lookUp = tool({
  name: "look_up",
  description: secret("description"),
  input: z.object({ question: z.string() }),
  run: ({ question }) => {
    throw broken(question);
  },
});

const house: Part = {
  name: "house",
  bind: () => ({
    operations: [
      operation({
        id: "breakDown",
        group: "House",
        method: "post",
        path: "/break",
        scope: "run",
        summary: "Fails",
        answers: {},
        problems: [],
        handle: () => Promise.reject(broken("route")),
      }),
    ],
  }),
};

/** Runs that end well, that fail, and that are cancelled, with secrets and texts wherever one can put them. */
async function eventfulDay(): Promise<void> {
  const agent = new Agent({
    role: secret("role"),
    goal: secret("goal"),
    backstory: secret("backstory"),
    tools: [lookUp],
  });
  const task = (name: string): Task =>
    new Task({ name, description: "Find {topic}", expectedOutput: secret("output"), agent });
  const crew = (name: string): Crew => new Crew({ name, tasks: [task(secret("task"))] });
  let turns = 0;
  const world = new HttpWorld({
    crews: { good: crew("good"), bad: crew("bad") },
    tools: [lookUp],
    script: ({ messages }) => {
      if (JSON.stringify(messages).includes("fail-now")) throw broken("model");
      if (++turns % 2 === 1)
        return { toolCalls: [{ name: "look_up", arguments: { question: secret("question") } }] };
      return secret("answer");
    },
    parts: [house],
    report: logError,
    webhooks: { hasSecret: true },
    webhookSink: () => () => Promise.reject(broken("webhook")),
    host: {
      report: logError,
      listeners: new ListenerPlan([
        onEvent("*", () => Promise.reject(broken("listener")), { name: secret("name") }),
      ]),
    },
  });
  const webhooks = [
    { url: `https://example.com/${MARK}?key=${MARK}`, secret: `whsec_${MARK.repeat(4)}` },
  ];
  const headers = { "x-secret": MARK, cookie: MARK };
  const ask = (crewName: string, topic: string, id: string) =>
    world.ask(`/crews/${crewName}/kickoff`, {
      json: { id, inputs: { topic }, webhooks, meta: { secret: MARK } },
      headers,
      key: MARK,
    });
  await ask("good", secret("topic"), "good-run");
  await ask("bad", "fail-now", "bad-run");
  await world.clock.settle();
  await world.ask("/break", { method: "POST", headers });
  await world.ask(`/runs/${MARK}?${MARK}=${MARK}`, { headers });
  for (let hour = 0; hour < 2; hour++) await world.clock.advance(3_600_000);
}

describe("the log", () => {
  it.each(LOG_LEVELS)(
    "LOG1: contains no content of a run, at the level %s (OP7)",
    async (level) => {
      setLog(level, "version-1");
      await eventfulDay();
      expect(lines.join("\n")).not.toContain(MARK);
      const codes = new Set(parsed().map(({ code }) => code));
      for (const line of parsed()) {
        expect(line).toMatchObject({ version: "version-1" });
        const [grade, msg] = LOG_MESSAGES[line["code"] as LogCode];
        expect([line["level"], line["msg"]]).toEqual([grade, msg]);
      }
      const expected: Record<LogLevel, readonly LogCode[]> = {
        off: [],
        errors: ["listener_failed", "request_failed", "webhook_abandoned"],
        runs: ["listener_failed", "request_failed", "webhook_abandoned", "run_ended"],
        debug: ["listener_failed", "request_failed", "run_ended", "request_answered"],
      };
      for (const code of expected[level]) expect(codes).toContain(code);
      const excluded: Record<LogLevel, readonly string[]> = {
        off: Object.keys(LOG_MESSAGES),
        errors: ["run_ended", "request_answered"],
        runs: ["request_answered"],
        debug: [],
      };
      for (const code of excluded[level]) expect(codes).not.toContain(code);
    },
  );

  it("LOG2: has one line for the end of each run", async () => {
    setLog("runs");
    await eventfulDay();
    const ended = parsed().filter(({ code }) => code === "run_ended");
    expect(ended).toMatchObject([
      { run: "good-run", tenant: "default", kind: "crew", status: "completed" },
      { run: "bad-run", status: "failed", reason: expect.any(String) },
    ]);
    expect(ended.every(({ ms }) => typeof ms === "number")).toBe(true);
  });

  it("LOG1: names the kind, code, causes and places of an error", () => {
    const failing = function failing(): Error {
      return new EngineError("unavailable", secret("message"), { cause: new RangeError("no") });
    };
    logError(noted(failing(), "alarm_failed", { run: "run-1", attempt: 2, step: "not an id!" }));
    expect(parsed()).toMatchObject([
      {
        level: "error",
        code: "alarm_failed",
        run: "run-1",
        attempt: 2,
        error: {
          kind: "EngineError",
          code: "unavailable",
          at: expect.arrayContaining([expect.stringMatching(/^failing log\.test\.ts:\d+:\d+$/)]),
          cause: { kind: "RangeError" },
        },
      },
    ]);
    expect(lines[0]).not.toMatch(/not an id|MARKED/);
  });

  it("LOG1: has no places of an error with a changed message, nor of other thrown values", () => {
    const changed = new Error(secret("first"));
    changed.message = `${MARK}-first`;
    const emptied = new Error(secret("first"));
    emptied.message = "";
    const named = new Error("x");
    named.name = secret("name");
    const lying = new Error("x");
    lying.stack = `Error: x\n    at ${MARK} said ${MARK}\n    at f (file:///a/b.ts:1:2)`;
    for (const error of [changed, emptied, named, MARK, { message: MARK }, null, lying])
      logError(error);
    expect(lines).toHaveLength(7);
    expect(lines.join("\n")).not.toContain(MARK);
    expect(parsed().at(-1)?.error).toEqual({ kind: "Error", at: ["f b.ts:1:2"] });
    expect(parsed()[3]).toMatchObject({ code: "unexpected", error: { kind: "string" } });
  });

  it("LOG1: names a missing table, and no other text of the database", () => {
    logError(new Error(`D1_ERROR: no such table: run_hours: SQLITE_ERROR ${MARK}`));
    logError(new Error(`D1_ERROR: UNIQUE constraint failed ${MARK}: SQLITE_CONSTRAINT`));
    expect(parsed().map(({ error }) => error?.["fault"])).toEqual([
      "no such table: run_hours",
      "SQLITE_CONSTRAINT",
    ]);
    expect(lines.join("\n")).not.toContain(MARK);
  });

  it("LOG2: uses the level error for an unknown level, and logs so without repeating it", async () => {
    vi.resetModules();
    const fresh = await import("../../../src/base/log.ts");
    fresh.setLog(MARK);
    fresh.setLog(MARK);
    fresh.log("run_ended");
    fresh.log("dead_letter");
    expect(parsed().map(({ code }) => code)).toEqual(["log_level_unknown", "dead_letter"]);
    expect(lines.join("\n")).not.toContain(MARK);
  });

  it("LOG3: ignores lines that cannot be written", () => {
    vi.mocked(console.error).mockImplementation(() => {
      throw new Error("no log");
    });
    const unreadable = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("unreadable");
      },
    });
    expect(() => {
      log("unexpected");
      logError(unreadable);
    }).not.toThrow();
  });

  it("has each message in the table of docs/logs.md", () => {
    const rows = Array.from(
      readSource("docs/logs.md").matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \|$/gm),
      ([, code = "", level = "", message = ""]) => [code, [level, message]],
    );
    const capital = Object.entries(LOG_MESSAGES).map(([code, [level, message]]) => [
      code,
      [level, `${message[0]?.toUpperCase()}${message.slice(1)}.`],
    ]);
    expect(rows).toEqual(capital);
  });
});
