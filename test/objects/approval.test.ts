import { describe, expect, it } from "vitest";
import { killAll } from "./support/faults.ts";
import { keysCalled, notesOf } from "./support/ledger.ts";
import { eventsOf, evict, reaches, runs, start, stepsOf, TENANT } from "./support/runs.ts";

const APPROVAL = "task:pay/turn:1/approval:pay_out#0";
const PAID = "task:pay/turn:1/tool:pay_out#0";

describe("a tool call that needs a person's approval", () => {
  it("DC2: waits through an eviction and a kill, and is then made once", async () => {
    const id = await start("approving");
    const { waits } = await reaches(id, "waiting");
    expect(waits).toMatchObject([
      {
        key: APPROVAL,
        kind: "human",
        prompt: expect.stringContaining('pay_out with {"amount":7}'),
      },
    ]);
    expect(keysCalled(id)).toContain("task:pay/turn:1/tool:look_up#0");
    expect(keysCalled(id)).not.toContain(PAID);
    await evict(id);
    await killAll(id);
    await runs.resume(TENANT, id, { approve: true });
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({ raw: expect.stringContaining("paid 7") });
    const keys = keysCalled(id);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toContain(PAID);
  });

  it("is not made when it is refused, and the model gets the reason", async () => {
    const id = await start("approving");
    await reaches(id, "waiting");
    await evict(id);
    await runs.resume(TENANT, id, { approve: false, feedback: "too much" });
    const run = await reaches(id, "completed");
    expect(run.output).toMatchObject({ raw: expect.stringContaining("too much") });
    expect(keysCalled(id)).not.toContain(PAID);
  });
});

describe("hooks of the app and of a crew", () => {
  it("HK1: run once in a run evicted and killed on its way", async () => {
    const id = await start("approving");
    await reaches(id, "waiting");
    await evict(id);
    await killAll(id);
    await runs.resume(TENANT, id, { approve: true });
    const run = await reaches(id, "completed");
    expect(notesOf(id)).toEqual([
      "execution_start",
      "pre_tool_call pay_out",
      "execution_end completed",
    ]);
    expect(run.output).toMatchObject({ raw: expect.stringMatching(/, hooked$/) });
    const events = (await eventsOf(id)).filter(({ type }) => type === "hook_dispatched");
    expect(events).toHaveLength(3);
    expect((await stepsOf(id)).map(({ key }) => key)).toContain("hook:execution_end");
  });

  it("HK2: leave runs alone to which they do not apply", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    expect(notesOf(id)).toEqual([]);
  });
});
