import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { HttpWorld } from "../../support/http-app.ts";

const IDS = Array.from({ length: 12 }, (_, index) => `run-${index}`);
const olderThan = "2026-01-01T00:00:00Z";

/** A world in which `IDS` can be pruned and `remove` deletes each. */
function worldWith(remove: (id: string) => Promise<void>): HttpWorld {
  const world = new HttpWorld();
  world.runs.prunable = async () => IDS;
  world.runs.delete = (_tenant, id) => remove(id);
  return world;
}

describe("POST /runs/prune", () => {
  it("counts runs already deleted, and leaves out runs that continued", async () => {
    const world = worldWith(async (id) => {
      if (id === "run-1") throw new EngineError("not_found", "deleted");
      if (id === "run-2") throw new EngineError("conflict", "running");
    });
    const { status, json } = await world.ask("/runs/prune", { json: { olderThan, limit: 12 } });
    expect(status).toBe(200);
    expect(json).toEqual({ pruned: IDS.filter((id) => id !== "run-2"), more: true });
  });

  it("deletes at most five runs at once", async () => {
    let active = 0;
    let most = 0;
    const world = worldWith(async () => {
      most = Math.max(most, ++active);
      await Promise.resolve();
      active--;
    });
    const { json } = await world.ask("/runs/prune", { json: { olderThan } });
    expect([json["pruned"], most]).toEqual([IDS, 5]);
  });

  it("answers with any other error of a deletion", async () => {
    const world = worldWith(async (id) => {
      if (id === "run-7") throw new EngineError("unavailable", "the store is away");
    });
    const { status, json } = await world.ask("/runs/prune", { json: { olderThan } });
    expect([status, json["detail"]]).toEqual([503, "the store is away"]);
  });
});
