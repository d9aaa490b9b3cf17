import { isTerminal } from "../../src/runtime/run.ts";
import { flowVectors } from "../support/flow-vectors.suite.ts";
import { eventsOf, newId, runs, startOf, TENANT, until } from "./support/runs.ts";

flowVectors("in Durable Objects", async ({ flow, inputs = {}, answers = [] }) => {
  const id = newId(flow.name);
  await runs.start(startOf(flow.name, { id, kind: "flow", inputs }));
  const open = [...answers];
  for (;;) {
    let run = await runs.get(TENANT, id);
    const asked = () => run.status === "waiting" && run.waits.some(({ kind }) => kind !== "timer");
    await until(`run ${id} asks or ends`, async () => {
      run = await runs.get(TENANT, id);
      return isTerminal(run.status) || asked();
    });
    if (isTerminal(run.status)) {
      const { status, output, error } = run;
      return { status, output, error: error?.message, events: await eventsOf(id) };
    }
    const key = run.waits.find(({ kind }) => kind !== "timer")?.key ?? "";
    await runs.resume(TENANT, id, { key, feedback: open.shift() ?? "nobody said more" });
  }
});
