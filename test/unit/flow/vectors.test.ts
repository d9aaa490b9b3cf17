import { EngineError } from "../../../src/base/error.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { isTerminal } from "../../../src/runtime/run.ts";
import { flowVectors } from "../../support/flow-vectors.suite.ts";

flowVectors("in this process", async ({ flow, inputs = {}, answers = [] }) => {
  const handle = flow.start({ inputs });
  const open = [...answers];
  for (;;) {
    const { status, waits, error, output } = await handle.status();
    const asked = waits.find(({ kind }) => kind !== "timer");
    if (isTerminal(status)) {
      const events: RunEvent[] = [];
      for await (const event of handle.events()) if ("seq" in event) events.push(event);
      return { status, output, error: error?.message, events };
    }
    if (asked !== undefined && status === "waiting") {
      const feedback = open.shift();
      if (feedback === undefined) throw new EngineError("conflict", `nobody answers ${asked.key}`);
      await handle.resume({ feedback });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
});
