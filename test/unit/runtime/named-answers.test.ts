import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

async function program(scope: RunScope): Promise<string> {
  const first = await scope.at("first").wait<string>({ kind: "input", prompt: "One?" });
  const second = await scope.at("second").wait<string>({ kind: "input", prompt: "Two?" });
  return `${first} ${second}`;
}

describe.each(RUN_STORES)("an answer with a name, $name", ({ open }) => {
  const begun = async (): Promise<RunWorld> => {
    const world = new RunWorld(program, { fixture: open() });
    await world.begin();
    return world;
  };

  it("is taken once, however often it comes, also after a restart and the run's end (CA21)", async () => {
    const world = await begun();
    const answer = { id: "click-1", value: "a" };
    expect((await world.host.resume(answer)).status).toBe("running");
    expect((await world.host.resume(answer)).status).toBe("running");
    await world.rest(); // now another wait is open, which a repetition without a key must not answer
    expect(await world.host.resume(answer)).toMatchObject({
      status: "waiting",
      waits: [{ key: "second" }],
    });
    world.restart();
    expect((await world.host.resume({ ...answer, key: "first" })).status).toBe("waiting");
    await world.host.resume({ id: "click-2", key: "second", value: "b" });
    expect(await world.rest()).toMatchObject({ status: "completed", output: "a b" });
    expect((await world.host.resume(answer)).status).toBe("completed");
    const settled = world.host.reader.events(0, 500).filter(({ type }) => type === "wait_settled");
    expect(settled).toHaveLength(2);
  });

  it("is 409 under another name, or with other words under this one (CA21)", async () => {
    const world = await begun();
    await world.host.resume({ id: "click-1", key: "first", value: "a" });
    const refused = { code: "conflict" };
    await expect(
      world.host.resume({ id: "click-2", key: "first", value: "a" }),
    ).rejects.toMatchObject(refused);
    await expect(world.host.resume({ id: "click-1", value: "b" })).rejects.toMatchObject(refused);
    await expect(
      world.host.resume({ id: "click-1", key: "second", value: "a" }),
    ).rejects.toMatchObject(refused);
  });
});
