import { describe, expect, it } from "vitest";
import { eventsOf, newId, reaches, runs, start, startOf, TENANT } from "./support/runs.ts";

const OTHER = "globex";

describe("another tenant", () => {
  it("finds no trace of a run, with any operation", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const before = await eventsOf(id);
    const attempts = [
      runs.get(OTHER, id),
      runs.settled(OTHER, id, 10),
      runs.steps(OTHER, id, { limit: 10, values: true }),
      runs.resume(OTHER, id, { feedback: "x" }),
      runs.cancel(OTHER, id, undefined),
      runs.pause(OTHER, id),
      runs.unpause(OTHER, id),
      runs.fork(OTHER, id, { newId: newId("fork"), from: { fromTask: "ask" } }),
      runs.events(OTHER, id, new Request("https://api/runs/x/events")),
      runs.events(
        OTHER,
        id,
        new Request("https://api/runs/x/events", { headers: { Upgrade: "websocket" } }),
      ),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: "not_found", message: `there is no run ${id}` },
      });
    }
    expect(await runs.reindex(OTHER, [id])).toBe(0);
    expect((await runs.list({ tenant: OTHER, limit: 10 })).items).toEqual([]);
    expect(await eventsOf(id)).toEqual(before);
  });

  it("may use the same id for a run of its own", async () => {
    const id = await start("single", { inputs: { of: TENANT } });
    await runs.start(startOf("asking", { id, tenant: OTHER, inputs: { of: OTHER } }));
    expect(await runs.get(TENANT, id)).toMatchObject({ name: "single", inputs: { of: TENANT } });
    expect(await runs.get(OTHER, id)).toMatchObject({ name: "asking", inputs: { of: OTHER } });
    await reaches(id, "completed");
    await runs.cancel(OTHER, id, undefined);
    expect((await runs.get(TENANT, id)).status).toBe("completed");
  });
});
