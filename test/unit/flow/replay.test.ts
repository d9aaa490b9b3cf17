// Going on from where another run of a flow was.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { or } from "../../../src/flow/condition.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import type { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import type { FlowRecord } from "../../../src/flow/run-flow.ts";
import { HttpWorld, textOf, type JsonAnswer } from "../../support/http-app.ts";

/** Goes round twice; notes what was really done. */
function rounds(done: string[]) {
  const note = (name: string) => async () => void done.push(name);
  return defineFlow({
    name: "rounds",
    state: z.object({ n: z.number().default(0), topic: z.string().default("") }),
    methods: {
      first: { start: true, run: ({ step }) => step("do", note("first")) },
      work: {
        listen: or("first", "again"),
        run: async ({ state, step }) => {
          await step("do", note("work"));
          return ++state.n;
        },
      },
      look: {
        listen: "work",
        router: true,
        emit: ["again", "done"],
        run: async ({ state, step }) => {
          await step("do", note("look"));
          return state.n < 2 ? "again" : "done";
        },
      },
      end: { listen: "done", run: ({ state }) => `${state.topic} ${state.n}` },
    },
  });
}

async function finished(flow: ReturnType<typeof rounds>): Promise<LocalRun> {
  const run = flow.start({ inputs: { topic: "tea" } }) as LocalRun<FlowRecord>;
  await run.output();
  return run;
}

describe("a flow's run", () => {
  it("has its finished methods as checkpoints, in the order of their ends", async () => {
    const run = await finished(rounds([]));
    const checkpoints = await run.checkpoints({ values: true });
    expect(checkpoints.map(({ task, key }) => [task, key])).toEqual([
      ["first", "method:first"],
      ["work", "method:work"],
      ["look", "method:look"],
      ["work", "method:work~2"],
      ["look", "method:look~2"],
      ["end", "method:end"],
    ]);
    expect(checkpoints[3]?.output).toMatchObject({ value: 2 });
    expect(checkpoints[3]?.parentId).toBe(checkpoints[2]?.id);
  });

  it("skips methods finished before the checkpoint once, and loops as usual afterwards", async () => {
    const done: string[] = [];
    const flow = rounds(done);
    const run = await finished(flow);
    expect(done).toEqual(["first", "work", "look", "work", "look"]);
    done.length = 0;
    const checkpoint = (await run.checkpoints())[2]?.id ?? "";
    const { value, state } = await flow.kickoff({ fromCheckpoint: { run, checkpoint } });
    expect(done).toEqual(["work", "look"]);
    expect([value, state.n]).toEqual(["tea 2", 2]);
    const theirs = (await run.output()) as { state: { id: string } };
    expect(state.id).not.toBe(theirs.state.id);
  });

  it("can be gone on with from a method, with other inputs", async () => {
    const done: string[] = [];
    const flow = rounds(done);
    const run = await finished(flow);
    done.length = 0;
    const again = await flow.replay(run, { fromMethod: "end", inputs: { topic: "ink" } });
    expect(await again.output()).toMatchObject({ value: "ink 2" });
    expect(done).toEqual([]);
    const second = await flow.replay(run, { fromMethod: "method:work~2" });
    await second.output();
    expect(done).toEqual(["work", "look"]);
    expect((await second.status()).origin).toEqual({ runId: run.id, before: "method:work~2" });
  });

  it("continues from the newest checkpoint by default", async () => {
    const done: string[] = [];
    const flow = rounds(done);
    const run = await finished(flow);
    done.length = 0;
    expect((await flow.kickoff({ fromCheckpoint: { run } })).value).toBe("tea 2");
    expect(done).toEqual([]);
  });

  it("refuses a point or a flow it cannot continue from", async () => {
    const flow = rounds([]);
    const run = await finished(flow);
    await expect(flow.replay(run, { fromMethod: "nowhere" })).rejects.toThrow("nowhere");
    await expect(flow.replay(run, { fromCheckpoint: "x@1" })).rejects.toMatchObject({
      code: "not_found",
    });
    const other = defineFlow({ name: "other", methods: { a: { start: true, run: () => 1 } } });
    await expect(other.replay(run, { fromMethod: "end" })).rejects.toThrow(
      'is a run of flow "rounds", so flow "other" cannot continue it',
    );
    expect(() => flow.start({ fromCheckpoint: { run } })).toThrow("start() starts a new run");
  });
});

describe("over HTTP", () => {
  async function world() {
    const done: string[] = [];
    const http = new HttpWorld({ flows: { rounds: rounds(done), other: rounds([]) } });
    await http.ask("/flows/rounds/kickoff", { json: { id: "r-1", inputs: { topic: "tea" } } });
    await http.clock.settle();
    done.length = 0;
    const output = async (id: string): Promise<JsonAnswer | undefined> => {
      await http.clock.settle();
      return (await http.ask(`/runs/${id}`)).json["output"];
    };
    return { http, done, output };
  }

  it("runs are forked from a method or a checkpoint, and compared", async () => {
    const { http, done, output } = await world();
    const { json } = await http.ask("/runs/r-1/checkpoints?values=1");
    const ids = [0, 1, 2, 3, 4, 5].map((index) => textOf(json["items"]?.[index]?.["id"]));
    const fork = { fromMethod: "end", id: "r-2", inputs: { topic: "ink" } };
    expect((await http.ask("/runs/r-1/fork", { json: fork })).status).toBe(202);
    expect(await output("r-2")).toMatchObject({ value: "ink 2" });
    expect(done).toEqual([]);
    await http.ask("/runs/r-1/fork", { json: { fromCheckpoint: ids[2], id: "r-3" } });
    expect(await output("r-3")).toMatchObject({ value: "tea 2" });
    expect(done).toEqual(["work", "look"]);
    const [from, to] = [ids[1], ids[5]].map((id) => encodeURIComponent(id ?? ""));
    const diff = await http.ask(`/runs/r-1/checkpoints/diff?from=${from}&to=${to}`);
    expect(diff.json["tasks"]).toMatchObject([
      { task: "look", change: "added" },
      { task: "work", key: "method:work~2", change: "added" },
      { task: "look", change: "added" },
      { task: "end", change: "added" },
    ]);
  });

  it("a kickoff goes on from a checkpoint of another run of the flow", async () => {
    const { http, done, output } = await world();
    const json = { id: "r-4", fromCheckpoint: { run: "r-1" } };
    expect((await http.ask("/flows/rounds/kickoff", { json })).status).toBe(202);
    expect(await output("r-4")).toMatchObject({ value: "tea 2" });
    expect(done).toEqual([]);
    expect((await http.ask("/runs/r-4")).json["origin"]).toMatchObject({ runId: "r-1" });
  });

  it("refuses contradictory fields and unknown runs", async () => {
    const { http } = await world();
    const from = { run: "r-1" };
    for (const [path, body, status, place] of [
      ["rounds", { fromCheckpoint: from, restoreFromStateId: "x" }, 400, "/restoreFromStateId"],
      ["rounds", { fromCheckpoint: from, version: 2 }, 400, "/version"],
      [
        "rounds",
        { fromCheckpoint: from, inputFiles: { a: "https://x.test/a" } },
        400,
        "/inputFiles",
      ],
      ["other", { fromCheckpoint: from }, 400, "/fromCheckpoint/run"],
      ["rounds", { fromCheckpoint: { run: "r-9" } }, 404, undefined],
      ["rounds", { fromCheckpoint: { run: "r-1", checkpoint: "x@1" } }, 404, undefined],
    ] as const) {
      const answer = await http.ask(`/flows/${path}/kickoff`, { json: body });
      expect([answer.status, answer.json["errors"]?.[0]?.["path"]]).toEqual([status, place]);
    }
  });
});
