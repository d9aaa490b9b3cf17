import { describe, expect, it } from "vitest";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const refused = (message: RegExp) => ({
  code: "conflict",
  message: expect.stringMatching(message),
});

async function program(scope: RunScope): Promise<string> {
  const first = await scope.at("first").wait<string>({ kind: "input", prompt: "One?" });
  const second = await scope.at("second").wait<{ feedback?: string }>({
    kind: "human",
    prompt: "Two?",
  });
  return `${first} ${second.feedback}`;
}

/** Asks two people, one after the other, as conversations do. */
async function panel(scope: RunScope): Promise<string> {
  const said: string[] = [];
  for (const [round, agent] of ["ann", "bob", "ann"].entries()) {
    const { feedback } = await scope.at(`round:${round}`).wait<{ feedback: string }>({
      kind: "human",
      prompt: "You?",
      data: { agent },
      dueAtMs: scope.clock.now() + 60_000,
      otherwise: { feedback: "nothing" },
    });
    said.push(feedback);
  }
  return said.join(", ");
}

describe.each(RUN_STORES)("an answer to a settled question, $name", ({ open }) => {
  const begun = async (code = program): Promise<RunWorld> => {
    const world = new RunWorld(code, { fixture: open() });
    await world.begin();
    return world;
  };

  it("SQ1: is a repetition if it is the same, also after the run's end", async () => {
    const world = await begun();
    const answer = { key: "first", value: "a" };
    await world.host.resume(answer);
    await world.rest();
    expect(await world.host.resume(answer)).toMatchObject({
      status: "waiting",
      waits: [{ key: "second" }],
    });
    const approved = { key: "second", feedback: "b", by: "kim" };
    await world.host.resume(approved);
    expect(await world.rest()).toMatchObject({ status: "completed", output: "a b" });
    world.restart();
    expect((await world.host.resume(answer)).status).toBe("completed");
    expect((await world.host.resume(approved)).status).toBe("completed");
  });

  it("SQ2: is a conflict if it differs, with the person and the time of the answer", async () => {
    const world = await begun();
    await world.host.resume({ key: "first", value: "a", by: "ann" });
    await world.rest();
    const earlier = refused(/^question first of run \S+ was answered by ann at 20\d\d-\S+Z/);
    const others = [
      { key: "first", value: "b", by: "ann" },
      { key: "first", value: "a", by: "bob" },
      { key: "first", value: "a" },
    ];
    for (const other of others)
      await expect(world.host.resume(other)).rejects.toMatchObject(earlier);
    await world.host.resume({ key: "second", feedback: "b" });
    await world.rest();
    for (const other of others)
      await expect(world.host.resume(other)).rejects.toMatchObject(earlier);
  });

  it("SQ3: is a conflict without a key once the run has asked before", async () => {
    const world = await begun();
    await world.host.resume({ value: "a", by: "ann" });
    await world.rest();
    await expect(world.host.resume({ feedback: "a" })).rejects.toMatchObject(
      refused(/^the run has asked before: question first was answered by ann at .*; open: second$/),
    );
    await world.host.resume({ key: "second", feedback: "b" });
    expect(await world.rest()).toMatchObject({ status: "completed", output: "a b" });
  });

  it("SQ3: names its person: others' questions, and earlier ones to that person, are not answered", async () => {
    const world = await begun(panel);
    const say = (person: string, feedback: string, key?: string) =>
      world.host.resume({ person, feedback, ...(key === undefined ? undefined : { key }) });
    await expect(say("bob", "me first")).rejects.toMatchObject({ code: "conflict" });
    await say("ann", "one");
    await world.rest();
    await expect(say("ann", "one")).rejects.toMatchObject({ code: "conflict" });
    await say("bob", "two");
    await world.rest();
    await expect(say("ann", "one")).rejects.toMatchObject(
      refused(/^"ann" was asked before: question round:0 was answered at .*; open: round:2$/),
    );
    await expect(say("bob", "two", "round:2")).rejects.toMatchObject({ code: "conflict" });
    expect((await say("ann", "one", "round:0")).status).toBe("waiting");
    await say("ann", "three", "round:2");
    expect(await world.rest()).toMatchObject({ output: "one, two, three" });
  });

  it("SQ2: says of an expired question when it ended, also for the answer of the default", async () => {
    const world = await begun(panel);
    await world.clock.advance(60_000);
    await world.rest();
    const late = { key: "round:0", feedback: "nothing" };
    await expect(world.host.resume(late)).rejects.toMatchObject(
      refused(/round:0 of run \S+ was withdrawn or expired at /),
    );
    await expect(world.host.resume({ feedback: "late" })).rejects.toMatchObject(
      refused(/has asked before/),
    );
  });
});
