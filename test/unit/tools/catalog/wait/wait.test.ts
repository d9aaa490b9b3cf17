import { expect, it } from "vitest";
import { waitTool } from "../../../../../src/tools/catalog/wait/wait.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";

it.each([
  [{ seconds: 400 }, "Waited 300 seconds. Requested 400 seconds, capped at 300 seconds per call"],
  [{ seconds: 1 }, "Waited 1 second."],
  [{ seconds: 0.5 }, "Waited 0.5 seconds."],
  [{ seconds: 0, reason: "the oven" }, "Waited 0 seconds. Reason: the oven"],
])("reports the time waited: %j (T36)", async (input, text) => {
  const called = await callOf(waitTool(), input, {});
  expect(called.text.startsWith(text)).toBe(true);
  expect(called.extras).not.toHaveProperty("untrusted");
});

it("waits on a durable timer, for as long as it may (T36)", async () => {
  const subject = toolSubject(waitTool({ maxSeconds: 20 }), { seconds: 60 });
  const world = new RunWorld(subject.program.run, { fixture: openSqlStore() });
  const run = await world.begin();
  expect(run.waits).toMatchObject([{ kind: "timer" }]);
  world.restart();
  await world.clock.advance(19_000);
  expect(await world.rest()).toMatchObject({ status: "waiting" });
  await world.clock.advance(1_000);
  expect(await world.rest()).toMatchObject({ status: "completed" });
});

it("is cancelled at once with its run (T42)", async () => {
  const subject = toolSubject(waitTool(), { seconds: 60 });
  const world = new RunWorld(subject.program.run, { fixture: openSqlStore() });
  await world.begin();
  expect(await world.host.cancel()).toMatchObject({ status: "cancelled" });
  await world.rest();
  expect(world.alarm.dueAtMs).toBeNull();
});

it("waits again each time, and shows models its limit (T36)", () => {
  expect(waitTool({ maxSeconds: 20 })).toMatchObject({
    allowRepeat: true,
    description: expect.stringContaining("At most 20 seconds"),
  });
  expect(waitTool().cache({}, "x")).toBe(false);
});

it("waits once, even if the run's process dies", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => toolSubject(waitTool(), { seconds: 60 }));
  for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
});

it.each([{ seconds: -1 }, { seconds: "soon" }, {}])("refuses %j", async (input) => {
  const { failure } = await callOf(waitTool(), input, {});
  expect(failure?.code).toBe("invalid_input");
});
