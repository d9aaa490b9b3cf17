// A flow that waits for a person for a quarter of a year, and whose process is gone and back meanwhile.
import { expect, it } from "vitest";
import { announce } from "../../../examples/announce.ts";
import sample from "../../../examples/samples/announce.json" with { type: "json" };
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const DAY_MS = 86_400_000;

it.each(RUN_STORES)(
  "DC2: answers 90 days later in another process, with a run restored from $name",
  async ({ open }) => {
    let calls = 0;
    const offline = modelCatalog({ variables: {} });
    const { run } = announce.program();
    const world = new RunWorld(run, {
      fixture: open(),
      models: (spec) => {
        const model = offline(spec);
        return { ...model, generate: (...args) => (calls++, model.generate(...args)) };
      },
    });
    const waiting = await world.begin({ kind: "flow", inputs: sample.inputs });
    expect(waiting).toMatchObject({
      status: "waiting",
      waits: [{ key: "method:review/feedback" }],
    });
    expect(world.alarm.dueAtMs).toBeNull();
    const callsBefore = calls;

    world.restart();
    await world.clock.advance(90 * DAY_MS);
    expect(await world.ring()).toBe(false);
    await world.host.resume({ feedback: "approve" });
    const asking = await world.rest();
    expect(asking).toMatchObject({ status: "waiting", waits: [{ key: "method:schedule/ask" }] });

    world.restart();
    expect(world.alarm.dueAtMs).toBe(world.clock.now() + DAY_MS);
    await world.clock.advance(DAY_MS);
    const ended = await world.rest();
    expect(ended).toMatchObject({
      status: "completed",
      output: { value: "Harbour 2.4.0: now", state: { drafts: 1, published: { when: "now" } } },
    });
    expect(calls).toBe(callsBefore);
    const finished = world.eventTypes().filter((type) => type === "method_execution_finished");
    expect(finished).toHaveLength(4);
  },
);
