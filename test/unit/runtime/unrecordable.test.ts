// Values of code that no record can hold are errors of their own step, in a store that keeps JSON.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { errorRecord } from "../../../src/base/error-record.ts";
import { EngineError } from "../../../src/base/error.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import type { FlowContext } from "../../../src/flow/method-context.ts";
import type { Run } from "../../../src/runtime/run.ts";
import { RunWorld } from "../../support/run-world.ts";
import { openSqlStore } from "../../support/run-stores.ts";

const BIG = 10n as never;
const circle: Record<string, unknown> = {};
circle["self"] = circle;

type Context = FlowContext<{ id: string }>;

/** Plays a flow of one method on SQLite, with a restart after each alarm. */
async function played(run: (context: Context) => unknown): Promise<{
  readonly run: Run;
  readonly rings: number;
  readonly executions: number;
  readonly reported: readonly unknown[];
}> {
  let executions = 0;
  const flow = defineFlow({
    name: "f",
    state: z.object({}),
    methods: {
      go: {
        start: true,
        run: (context) => {
          executions++;
          return run(context as unknown as Context);
        },
      },
    },
  });
  const program = flow.program();
  const reported: unknown[] = [];
  const world = new RunWorld((scope, inputs) => program.run(scope, inputs), {
    fixture: openSqlStore(),
    findProgram: () => program,
    report: (error) => reported.push(error),
  });
  await world.start({ kind: "flow", name: "f", inputs: {} });
  let rings = 0;
  for (let look = 0; look < 40; look++) {
    world.restart();
    if (await world.ring()) rings++;
    const { status, waits } = await world.host.status();
    if (status === "completed" || status === "failed" || waits.length > 0) break;
    await world.clock.advance(20_000);
  }
  world.restart();
  return { run: await world.host.status(), rings, executions, reported };
}

const failing =
  (error: unknown) =>
  ({ step }: Context): unknown =>
    step("x", () => Promise.reject(error as Error));

const withMessage = (message: unknown): Error =>
  Object.defineProperty(new Error("x"), "message", { value: message });

describe("an error beyond the limits of the record", () => {
  it.each<[string, unknown, string, string]>([
    ["a BigInt as the message", withMessage(BIG), "user_code_failed", "10"],
    ["an object with a circle", circle, "user_code_failed", "[object Object]"],
    [
      "an object of an HTTP client",
      { statusCode: 400, message: ["a"] },
      "user_code_failed",
      '{"statusCode":400,"message":["a"]}',
    ],
    [
      "invalid issues",
      new EngineError("invalid_input", "no", { issues: [{ path: BIG, message: BIG }] }),
      "invalid_input",
      "no",
    ],
    ["an invalid code", new EngineError(BIG, "no"), "internal", "no"],
    [
      "a failure code other than a text",
      new EngineError("tool_failed", "no", { failureCode: BIG }),
      "tool_failed",
      "no",
    ],
  ])("is the step's own, after one execution: %s", async (...[, error, code, message]) => {
    const { run, rings, executions, reported } = await played(failing(error));
    expect(run).toMatchObject({
      status: "failed",
      error: { code, message: `method "go" of flow "f": ${message}` },
    });
    expect([rings, executions, reported]).toEqual([1, 1, []]);
  });

  it("has issues and codes of bounded length", () => {
    const issue = { path: "p".repeat(1e6), message: "m".repeat(1e6) };
    const error = new EngineError("invalid_input", "no", {
      issues: Array.from({ length: 1_000 }, () => issue),
      failureCode: "c".repeat(1e6),
    });
    expect(JSON.stringify(errorRecord(error)).length).toBeLessThan(500_000);
  });
});

describe("a wait beyond the limits of the record", () => {
  it.each<[string, (context: Context) => unknown, string]>([
    ["prompt", ({ ask }) => ask(BIG), "prompt: a bigint"],
    ["choices", ({ ask }) => ask("?", { choices: [BIG] }), "choices[0]: a bigint"],
    ["time", ({ sleep }) => sleep("s", Number.NaN), "must be a number of milliseconds, got"],
    ["name", ({ sleep }) => sleep(5 as never, 1), "a name must be a text, got 5"],
  ])("is refused by its %s", async (_, code, message) => {
    const { run, rings, reported } = await played(code);
    expect(run.error).toMatchObject({ code: "invalid_input" });
    expect(run.error?.message).toContain(message);
    expect([rings, reported]).toEqual([1, []]);
  });

  it("stores a question of 3 million characters truncated, with its length", async () => {
    const { run } = await played(({ ask }) => ask("p".repeat(3e6)));
    const [wait] = run.waits;
    expect(wait?.prompt?.length).toBeLessThan(101_000);
    expect(wait?.prompt).toContain("of 3000000 characters left out");
  });

  it("ends no run for metadata of its event", async () => {
    const { run, reported } = await played(({ ask }) => ask("?", { metadata: { a: BIG } }));
    expect(run.waits).toHaveLength(1);
    expect(reported).toEqual([]);
  });
});
