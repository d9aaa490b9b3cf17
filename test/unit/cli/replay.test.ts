import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

const SCREEN = { columns: 100, rows: 24 };

/** Answers with what it is asked, and counts the calls. */
function echoWorld(): { world: Terminal; calls: () => number } {
  const world = new Terminal({
    script: ({ messages }) => `said ${JSON.stringify(messages.at(-1)?.content).length}`,
  });
  return { world, calls: () => world.http.model.calls.length };
}

const runOf = async (world: Terminal, id: string): Promise<Record<string, unknown>> =>
  (await world.http.ask(`/runs/${id}`)).json;

describe("replay", () => {
  it("repeats from a task, a step, a checkpoint or the start (CL15)", async () => {
    const { world, calls } = echoWorld();
    await world.run("run briefing --id first-1 --input topic=tea");
    const { out } = await world.run("runs checkpoints first-1");
    const [checkpoint = ""] = out.split("\t");
    for (const [flags, repeated] of [
      ["-t report", 1],
      ["--task-id report", 1],
      ["-t task:report/turn:1/llm", 1],
      ["-t task:research", 2],
      [`--from-checkpoint ${checkpoint}`, 1],
      ["--from-start", 2],
    ] as const) {
      const before = calls();
      const { code, err } = await world.run(`replay first-1 ${flags}`);
      expect([flags, code, calls() - before]).toEqual([flags, 0, repeated]);
      expect(err).toMatch(/^run \S+ repeats first-1 \(crew briefing\) from /);
    }
  });

  it("defaults to the newest run, and has the alias fork (CL15)", async () => {
    const { world } = echoWorld();
    await world.run("run briefing --id a-older --input topic=tea");
    await world.http.clock.advance(1_000);
    await world.run("run briefing --id newer-1 --input topic=tea");
    const { out } = await world.run("fork -t report --id forked-1 --detach --json");
    expect(JSON.parse(out)).toEqual({ id: "forked-1", of: "newer-1", fromTask: "report" });
    expect(await runOf(world, "forked-1")).toMatchObject({ origin: { runId: "newer-1" } });
  });

  it("changes some inputs and keeps the others (CL15)", async () => {
    const { world } = echoWorld();
    await world.run("run briefing --id first-1 --input topic=tea --input style=dry");
    await world.run("replay first-1 --from-start --input topic=coffee --id second-2");
    expect((await runOf(world, "second-2"))["inputs"]).toEqual({ topic: "coffee", style: "dry" });
  });

  it("replaces the output of a task with an edited text (CL15)", async () => {
    const { world } = echoWorld();
    await world.run("run briefing --id first-1 --input topic=tea");
    writeFileSync(`${world.folder}/facts.txt`, "Tea is a marked drink");
    const { code } = await world.run(
      "replay first-1 -t report --edit task:research=@facts.txt --id second-2",
    );
    expect(code).toBe(0);
    const request = JSON.stringify(world.http.model.calls.at(-1));
    expect(request).toContain("Tea is a marked drink");
    const late = await world.run("replay first-1 -t report --edit task:report=x");
    expect([late.code, late.err]).toEqual([2, expect.stringContaining("cannot be replaced")]);
  });

  it("continues from an edited answer of a model, with another model for the rest", async () => {
    const { world, calls } = echoWorld();
    await world.run("run briefing --id first-1 --input topic=tea");
    const before = calls();
    const { code, err } = await world.run(
      "replay first-1 --edit task:research/turn:1/llm=Edited --llm openai/other --id second-2",
    );
    expect([code, calls() - before, err]).toEqual([0, 1, expect.anything()]);
    expect(err).toContain("from another result of task:research/turn:1/llm");
    expect(JSON.stringify(world.http.model.calls.at(-1))).toContain("Edited");
    expect(await runOf(world, "second-2")).toMatchObject({
      origin: { edited: "task:research/turn:1/llm" },
    });
    const wrong = await world.run("run briefing --input topic=tea --model nope");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("provider/model")]);
  });

  it("continues at the place of the failure, and ends with 1 when it fails again (CL15)", async () => {
    let isDown = true;
    const world = new Terminal({
      script: ({ messages }) => {
        if (isDown && JSON.stringify(messages).includes("Write about"))
          throw new Error("the model is down");
        return "fine";
      },
    });
    const failed = await world.run("run briefing --id first-1 --input topic=tea");
    expect(failed.code).toBe(1);
    const again = await world.run("replay first-1");
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("from task:report")]);
    isDown = false;
    const before = world.http.model.calls.length;
    expect(await world.run("replay first-1")).toMatchObject({ code: 0, out: "fine\n" });
    expect(world.http.model.calls.length - before).toBe(1);
  });

  it("CLI3: asks for the place to repeat a finished run from, or lists the places (CL2)", async () => {
    const { world, calls } = echoWorld();
    await world.run("run briefing --id first-1 --input topic=tea");
    const { code, err } = await world.run("replay first-1");
    expect(code).toBe(2);
    expect(err).toMatch(/first-1 is completed: .*: task:research, task:report\n {2}--task/);
    const before = calls();
    const asked = await world.run("replay first-1", { terminal: SCREEN, answers: ["task:report"] });
    expect([asked.code, calls() - before]).toEqual([0, 1]);
  });

  it.each([
    ["replay first-1 -t a --from-start", /say one of --task/],
    ["replay first-1 --edit nothing", /--edit needs key=value, got "nothing"/],
    ["replay first-1 -t nope", /no step|nope/],
    ["replay", /there are no runs yet/],
  ])("%s is wrong use", async (line, message) => {
    const { world } = echoWorld();
    if (line !== "replay") await world.run("run briefing --id first-1 --input topic=tea");
    const { code, err } = await world.run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
