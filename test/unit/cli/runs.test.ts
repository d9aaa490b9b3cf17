import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

const SCREEN = { columns: 100, rows: 24 };

type Table = readonly { id: string; result: string; error?: string }[];

/** A world in which `review` waits for a person, and `greeting` is done. */
async function worldOf(
  ids: readonly string[],
  line = "review --input topic=tea",
): Promise<Terminal> {
  const world = new Terminal();
  for (const id of ids) await world.run(`run ${line} --id ${id} --detach`);
  await world.http.clock.settle();
  return world;
}

const statusOf = async (world: Terminal, id: string): Promise<unknown> =>
  (await world.http.ask(`/runs/${id}`)).json["status"];

describe("the same change to several runs", () => {
  it("CHR1: reports the result of each, and fails when one failed", async () => {
    const world = await worldOf(["first-1", "second-2"]);
    await world.run("run greeting --id done-3");
    const { code, out } = await world.run(
      "runs cancel first- second-2 second-2 done-3 nowhere --reason enough --json",
    );
    const rows = JSON.parse(out) as Table;
    expect(rows.map(({ id, result }) => [id, result])).toEqual([
      ["first-1", "cancelled"],
      ["second-2", "cancelled"],
      ["done-3", "failed"],
      ["nowhere", "failed"],
    ]);
    expect(rows.at(-1)?.error).toBe("there is no such run");
    expect(code).toBe(1);
    expect(await statusOf(world, "first-1")).toBe("cancelled");
    expect(await statusOf(world, "done-3")).toBe("completed");
  });

  it("CHR2: changes no run when a beginning is ambiguous (CL16)", async () => {
    const world = await worldOf(["abcdef-1", "abcdef-2", "other-1"]);
    const { code, err } = await world.run("runs cancel other-1 abcdef");
    expect([code, err]).toEqual([2, expect.stringContaining("abcdef-2, abcdef-1")]);
    expect(await statusOf(world, "other-1")).toBe("waiting");
  });

  it("CHR1: pauses runs, and continues them", async () => {
    const world = await worldOf(["first-1"]);
    expect((await world.run("runs pause first-1")).out).toBe("first-1\tpaused\t\n");
    expect((await world.http.ask("/runs/first-1")).json["paused"]).toBe(true);
    expect((await world.run("runs unpause first-1")).code).toBe(0);
    expect((await world.http.ask("/runs/first-1")).json["paused"]).toBeUndefined();
  });

  it("CHR1: a refused key is exit code 4", async () => {
    const world = new Terminal({ auth: { mode: "keys" } });
    expect((await world.run("runs cancel some-run")).code).toBe(4);
  });
});

describe("deletion", () => {
  it.each([["runs delete done-1 done-2"], ["runs prune --older-than 1s"]])(
    "CNF1: %s asks with the number, and needs --yes without a terminal (CL2, CL21)",
    async (line) => {
      const world = await worldOf(["done-1", "done-2"], "greeting");
      const off = await world.run(line);
      expect([off.code, off.out]).toEqual([2, ""]);
      expect(off.err).toMatch(/delete 2 runs[^]*--yes/);
      const no = await world.run(line, { terminal: SCREEN, answers: [false] });
      expect([no.code, no.asked]).toEqual([1, ["Delete 2 runs?"]]);
      expect(no.err).toContain("no change was made");
      expect(await statusOf(world, "done-1")).toBe("completed");
      const yes = await world.run(line, { terminal: SCREEN, answers: [true] });
      expect(yes.code).toBe(0);
      expect((await world.http.ask("/runs")).json["items"]).toEqual([]);
    },
  );

  it("does not delete a running run", async () => {
    const world = await worldOf(["open-1"]);
    const { code, out } = await world.run("runs delete open-1 --yes");
    expect(code).toBe(1);
    expect(out).toMatch(/^open-1\tfailed\t.+/);
    expect(await statusOf(world, "open-1")).toBe("waiting");
  });

  it("prune deletes the runs listed by the dry run, and leaves the newest (CL21)", async () => {
    const world = new Terminal();
    for (const id of ["old-1", "old-2", "old-3"]) {
      await world.run(`run greeting --id ${id}`);
      await world.http.clock.advance(1_000);
    }
    const dry = await world.run("runs prune --older-than 1d --keep 1 --dry-run");
    expect(dry.out.split("\n").map((line) => line.split("\t")[0])).toEqual(["old-2", "old-1", ""]);
    expect(dry.err).toContain("2 runs would be deleted");
    expect(await statusOf(world, "old-1")).toBe("completed");
    const { out } = await world.run("runs prune --older-than 1d --keep 1 --yes --json");
    expect(JSON.parse(out)).toEqual({ pruned: ["old-1", "old-2"] });
    expect(await statusOf(world, "old-3")).toBe("completed");
    const none = await world.run("runs prune --older-than 52w --keep 1");
    expect([none.code, none.out]).toEqual([0, "0 runs deleted\n"]);
  });

  it.each([
    ["runs prune", /say which: --older-than/],
    ["runs prune --older-than 30", /expected a span such as 12h, 30d or 2w, got "30"/],
    ["runs prune --older-than soon", /expected a span/],
  ])("%s is wrong use", async (line, message) => {
    const { code, err } = await new Terminal().run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("the details of a run", () => {
  it("has its tasks with their outputs; defaults to the newest run (CL14)", async () => {
    const world = new Terminal();
    await world.run("run briefing --id older-1 --input topic=tea");
    await world.http.clock.advance(1_000);
    await world.run("run briefing --id newer-1 --input topic=tea");
    const { out, err } = await world.run("log-tasks-outputs");
    expect(err).toContain("run newer-1 (crew briefing)");
    expect(out).toMatch(/^research\tcompleted\tResearcher\t[^\t]*\ttask:research\tA fine answer\n/);
    const rows = JSON.parse((await world.run("tasks older-1 --json")).out) as { task: string }[];
    expect(rows.map(({ task }) => task)).toEqual(["research", "report"]);
    const flow = await worldOf(["flow-1"]);
    await flow.run("waits answer flow-1 --choice approved");
    await flow.http.clock.settle();
    const methods = (await flow.run("tasks flow-1")).out;
    expect(methods).toMatch(/^draft\t.*\npublish\tcompleted\t.*Published: On tea/);
  });

  it("has its checkpoints, its model calls and all its steps", async () => {
    const world = new Terminal();
    await world.run("run briefing --id r1 --input topic=tea");
    const { out, err } = await world.run("runs checkpoints r1");
    expect(out).toMatch(/^task:research@\d+\tresearch\t/);
    expect(err).toContain("edgecrew replay r1 --from-checkpoint");
    const calls = await world.run("runs show r1 --calls");
    expect(calls.out).toMatch(/task:research\/turn:1\/llm {2}.*\n {2}A fine answer/);
    const json = JSON.parse((await world.run("runs show r1 --calls --json")).out) as {
      calls: { request: { messages: unknown[] } }[];
    };
    expect(json.calls.map(({ request }) => request.messages.length > 0)).toEqual([true, true]);
  });

  it("is compared with another, by key (CL15)", async () => {
    let answer = "one\ntwo\nthree";
    const world = new Terminal({ script: () => answer });
    await world.run("run greeting --id a-run");
    await world.run("run greeting --id same-run");
    answer = "one\n2\nthree";
    await world.run("run greeting --id b-run");
    await world.run("run briefing --id c-run --input topic=tea");
    const { out, code } = await world.run("runs diff a-run b-run");
    expect(code).toBe(0);
    expect(out).toContain("~ task:greet\n      one\n    - two\n    + 2\n      three\n");
    expect((await world.run("runs diff a-run same-run")).out).toMatch(
      /^\d+ steps the same, 0 not\n$/,
    );
    const others = JSON.parse((await world.run("runs diff a-run c-run --json")).out) as {
      steps: { key: string; change: string }[];
    };
    expect(others.steps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: "task:greet", change: "removed" }),
        expect.objectContaining({ key: "task:report", change: "added" }),
      ]),
    );
  });
});
