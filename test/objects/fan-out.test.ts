import {
  createExecutionContext,
  createMessageBatch,
  evictAllDurableObjects,
  getQueueResult,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { BatchOutput } from "../../src/crew/batch/batch.ts";
import { runNamespace } from "../../src/cloudflare/runs/run-namespace.ts";
import { callRun } from "../../src/cloudflare/runs/run-object-api.ts";
import { childRunId } from "../../src/events/child-port.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type {
  OperationInput,
  OperationResult,
  RunOperation,
} from "../../src/runtime/run-operations.ts";
import type { Run } from "../../src/runtime/run.ts";
import { keysCalled } from "./support/ledger.ts";
import { killAll, ringSoon } from "./support/faults.ts";
import {
  eventsOf,
  newId,
  reaches,
  runs,
  SOON,
  start,
  startOf,
  stepsOf,
  TENANT,
  until,
  owedBy,
} from "./support/runs.ts";
import worker from "./worker.ts";

type CrewResult = {
  readonly raw: string;
  readonly tasks: ReadonlyArray<{ name: string; raw: string }>;
};

const LATER = { timeout: 20_000 };

describe("asynchronous tasks of a crew", () => {
  it(
    "are done by child runs when there are more than ten, and come back in their order",
    LATER,
    async () => {
      const id = await start("fan-50");
      const run = await ended(id);
      const { tasks } = run.output as CrewResult;
      expect(run.status).toBe("completed");
      expect(tasks.map(({ name }) => name)).toEqual([...names(50), "gathers"]);
      expect(tasks[7]?.raw).toBe("answer from: facts about 7");
      const children = await childrenOf(id);
      expect(children).toHaveLength(5);
      expect(children[0]).toMatchObject({ kind: "task", name: "fan-50", status: "completed" });
      // Two calls for each task that a child did, one for the one that gathers; all are in the parent's account.
      expect(run.usage.requests).toBe(101);
      expect(keysCalled(id)).toEqual(["task:gathers/turn:1/llm"]);
    },
  );

  it("are in the parent's log, with the ids of their runs", LATER, async () => {
    const id = await start("fan-11");
    await ended(id);
    const events = await eventsOf(id);
    const children = new Set((await childrenOf(id)).map((child) => child.id));
    for (const name of names(11)) {
      const own = events.filter(({ path }) => path === `task:${name}`);
      expect(own.map(({ type }) => type)).toEqual([
        "task_started",
        "wait_opened",
        "wait_settled",
        "task_completed",
      ]);
      const [begun] = own;
      expect(children.has((begun as unknown as { childRunId: string }).childRunId)).toBe(true);
    }
  });

  it.each(["fan-10", "fan-limited"])("stay in the run: %s", async (crew) => {
    const id = await start(crew);
    expect((await ended(id)).status).toBe("completed");
    expect(await childrenOf(id)).toEqual([]);
  });

  it("fail the crew when one fails, which cancels the others", LATER, async () => {
    const id = newId("fan-failing");
    await runs.start(startOf("fan-failing", { id }));
    const run = await ended(id);
    expect(run).toMatchObject({ status: "failed", error: { code: "model_unauthorized" } });
    const failed = (await eventsOf(id)).filter(({ type }) => type === "task_failed");
    expect(failed.map(({ path }) => path)).toEqual(["task:bad"]);
  });

  it(
    "DC1: survive kills and evictions of parent and children in the middle",
    { timeout: 60_000 },
    async () => {
      const id = await start("fan-50");
      for (let fault = 0; fault < 6; fault++) {
        await pause(30 * fault);
        const known = [id, ...(await childrenOf(id)).map((child) => child.id)];
        if (fault % 2 === 0) await killAll(...known);
        else await evictAllDurableObjects();
        for (const each of known) ringSoon(each);
      }
      const run = await ended(id, 40_000);
      expect(run.error).toBeUndefined();
      expect((run.output as CrewResult).tasks.map(({ name }) => name)).toEqual([
        ...names(50),
        "gathers",
      ]);
      expect(run.usage.requests).toBe(101);
      expect(await childrenOf(id)).toHaveLength(5);
    },
  );
});

describe("batches", () => {
  it("report the outcome of each input, in order, and complete", { timeout: 60_000 }, async () => {
    const inputs = Array.from({ length: 200 }, (_, index) => ({
      topic: index % 10 === 3 ? `x${index} please fail` : `x${index}`,
    }));
    const { id, items, run } = await batch("item", inputs, 40_000);
    expect(items).toHaveLength(200);
    for (const [index, item] of items.entries()) {
      expect(item.index).toBe(index);
      expect(item).toMatchObject(
        index % 10 === 3
          ? { status: "failed", error: { code: "model_rejected" } }
          : { status: "completed", output: { raw: `said: x${index}` } },
      );
    }
    expect(run.usage.requests).toBe(200 + 180);
    expect((run.output as unknown as BatchOutput).usage).toEqual(run.usage);
    const [child] = await childrenOf(id);
    expect(child).toMatchObject({ kind: "crew", parent: { id } });
    // F8: it was driven once to start its children, and once to gather them.
    expect((await eventsOf(id)).filter(({ type }) => type === "run_resumed")).toHaveLength(1);
  });

  it("can be started by code of the same Worker", LATER, async () => {
    const own = worker.runs(env, TENANT);
    const id = newId("own");
    const run = await own.kickoffForEach("item", [{ topic: "tea" }, { topic: "ink" }], { id });
    await ended(id);
    const { items } = (await run.output()) as unknown as BatchOutput;
    expect(items.map(({ output }) => output?.raw)).toEqual(["said: tea", "said: ink"]);
    await expect(own.kickoffForEach("item", [{ topic: "tea" }, {}])).rejects.toMatchObject({
      issues: [{ path: "/inputs/1/topic" }],
    });
    await expect(own.kickoffForEach("nobody", [{}])).rejects.toMatchObject({ code: "not_found" });
  });

  it("leave an overlong output in its run", LATER, async () => {
    const { items } = await batch("item-large", [{}, {}]);
    expect(items.map(({ status, omitted, output }) => [status, omitted, output])).toEqual([
      ["completed", true, undefined],
      ["completed", true, undefined],
    ]);
    const whole = await runs.get(TENANT, items[0]?.runId ?? "");
    expect((whole.output as CrewResult).raw).toHaveLength(6 * 1024 * 1024);
  });

  it("F6: a slow item fails, and its run is cancelled", LATER, async () => {
    const id = newId("slow");
    await runs.start(
      startOf("asking", { id, kind: "batch", inputs: { inputs: [{}], timeoutMs: 400 } }),
    );
    const run = await ended(id);
    const [item] = (run.output as unknown as BatchOutput).items;
    expect(item).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await reaches(item?.runId ?? "", "cancelled");
  });

  it("F6: cancelling a batch cancels its runs", LATER, async () => {
    const id = newId("stopped");
    const inputs = [{}, {}, {}];
    await runs.start(startOf("asking", { id, kind: "batch", inputs: { inputs } }));
    await until("all children wait", async () => {
      const children = await childrenOf(id);
      return children.length === 3 && children.every(({ status }) => status === "waiting");
    });
    await runs.cancel(TENANT, id, "enough");
    for (const child of await childrenOf(id))
      expect((await reaches(child.id, "cancelled")).error?.code).toBe("run_cancelled");
  });

  it(
    "waits for a person in one item, and is done when the person has answered",
    LATER,
    async () => {
      const id = newId("asked");
      await runs.start(startOf("asking", { id, kind: "batch", inputs: { inputs: [{}, {}] } }));
      const run = await reaches(id, "waiting");
      expect(run.waits.map(({ kind }) => kind)).toEqual(["child", "child"]);
      for (const { runId = "" } of run.waits) {
        await until("the child is there", () =>
          runs.get(TENANT, runId).then(
            () => true,
            () => false,
          ),
        );
        await reaches(runId, "waiting");
        await runs.resume(TENANT, runId, { feedback: "two" });
      }
      const items = ((await ended(id)).output as unknown as BatchOutput).items;
      expect(items.map(({ output }) => output?.raw)).toEqual([
        "answer from: the person said: two",
        "answer from: the person said: two",
      ]);
    },
  );
});

describe("repeated messages", () => {
  it("F3: a second dispatch, a second report and a late one have no effect", LATER, async () => {
    const id = newId("twice");
    await runs.start(startOf("asking", { id, kind: "batch", inputs: { inputs: [{}, {}] } }));
    const { waits } = await reaches(id, "waiting");
    const [first = "", second = ""] = waits.map(({ runId }) => runId ?? "");
    await until("both are there", async () => (await childrenOf(id)).length === 2);
    await reaches(first, "waiting");
    await reaches(second, "waiting");
    const [child] = await call(id, "childStarts", [first]);
    if (child === undefined) throw new Error("it has to be startable");
    await call(first, "begin", child);
    expect((await eventsOf(first)).filter(({ type }) => type === "run_started")).toHaveLength(1);

    await runs.resume(TENANT, first, { feedback: "two" });
    await reaches(first, "completed");
    await until("it is reported", async () => (await runs.get(TENANT, id)).waits.length === 1);
    const before = await stepsOf(id);
    const usage = (await runs.get(TENANT, first)).usage;
    const report = { runId: first, status: "failed", usage } as const;
    await call(id, "childEnded", report);
    expect(await stepsOf(id)).toEqual(before);
    expect(await call(id, "childStarts", [first])).toEqual([undefined]);

    await runs.resume(TENANT, second, { feedback: "two" });
    const { output } = await ended(id);
    await call(id, "childEnded", { ...report, runId: second });
    expect((await runs.get(TENANT, id)).output).toEqual(output);
  });

  it("F5: a dispatch abandoned by the queue fails its item", LATER, async () => {
    const id = newId("given-up");
    await runs.start(startOf("asking", { id, kind: "batch", inputs: { inputs: [{}] } }));
    const { waits } = await reaches(id, "waiting");
    const body = { tenant: TENANT, parent: id, child: waits[0]?.runId };
    const message = { id: "m1", timestamp: new Date(), attempts: 6, body };
    const given = createMessageBatch("objects-tasks-dlq", [message]);
    const context = createExecutionContext();
    await worker.queue(given, env);
    expect((await getQueueResult(given, context)).explicitAcks).toEqual(["m1"]);
    const { items } = (await ended(id)).output as unknown as BatchOutput;
    expect(items).toMatchObject([{ status: "failed", error: { code: "unavailable" } }]);
  });

  it("F7: a run other than a child cannot report", LATER, async () => {
    const id = newId("foreign");
    await runs.start(startOf("asking", { id, kind: "batch", inputs: { inputs: [{}] } }));
    const { usage } = await reaches(id, "waiting");
    const report = { runId: "somebody", status: "completed", output: "x", usage } as const;
    await call(id, "childEnded", report);
    expect((await runs.get(TENANT, id)).waits).toHaveLength(1);
  });

  it("F3: a child with another run's id fails its item", LATER, async () => {
    const id = newId("taken");
    await runs.start(startOf("single", { id: childRunId(id, "item:0") }));
    await runs.start(startOf("single", { id, kind: "batch", inputs: { inputs: [{}, {}] } }));
    const { items } = (await ended(id)).output as unknown as BatchOutput;
    expect(items).toMatchObject([
      { status: "failed", error: { code: "conflict" } },
      { status: "completed", output: { raw: "done" } },
    ]);
  });
});

/** Calls the object of a run, as parents and children call each other. */
function call<Name extends RunOperation>(
  id: string,
  ...request: [operation: Name, ...input: OperationInput<Name>]
): Promise<OperationResult<Name>> {
  return callRun(runNamespace(env), { tenant: TENANT, id }, request);
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `t${index}`);
}

async function childrenOf(id: string) {
  const { items } = await runs.list({ tenant: TENANT, parent: id, limit: 1000 });
  return items;
}

async function ended(id: string, timeoutMs = 15_000): Promise<Run> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const run = await runs.get(TENANT, id);
    if (["completed", "failed", "cancelled"].includes(run.status)) return run;
    if (Date.now() > deadline)
      throw new Error(
        `run ${id} is ${run.status} and waits for ${JSON.stringify(run.waits.slice(0, 5))}: ${JSON.stringify(await owedBy(id))}`,
      );
    await pause(SOON.interval);
  }
}

async function batch(crew: string, inputs: readonly JsonObject[], timeoutMs?: number) {
  const id = newId(`batch-${crew}`);
  await runs.start(startOf(crew, { id, kind: "batch", inputs: { inputs } }));
  const run = await ended(id, timeoutMs);
  expect(run).toMatchObject({ kind: "batch", status: "completed" });
  return { id, run, items: (run.output as unknown as BatchOutput).items };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
