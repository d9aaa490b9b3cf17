import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Crew } from "../../../src/crew/crew.ts";
import { withListeners } from "../../../src/events/listener-queue.ts";
import {
  RunEventListener,
  onEvent,
  ListenerPlan,
  type Listeners,
} from "../../../src/events/listener.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";

const crewWith = (listeners: Listeners, replies: readonly string[] = ["done"]): Crew =>
  soloCrew(scriptedAgent([...replies]).agent, { crew: { listeners } });

describe("listeners", () => {
  it("receive their types, in order, with their relations", async () => {
    const received: string[] = [];
    const crew = crewWith([
      onEvent(["task_started", "task_completed"], ({ type, taskId, taskName, seq }) =>
        received.push(`${seq} ${type} ${taskName} ${taskId}`),
      ),
    ]);
    await crew.kickoff();
    expect(received).toEqual(["3 task_started work task:work", "8 task_completed work task:work"]);
  });

  it("receive everything of the run, tokens included, in the order of the log", async () => {
    const types: string[] = [];
    const { agent } = scriptedAgent(["one two"], { stream: true });
    const crew = soloCrew(agent, {
      crew: { listeners: [onEvent("*", ({ type }) => types.push(type))] },
    });
    const { heard } = await runCrewToEnd(crew);
    expect(types).toEqual(heard.map(({ type }) => type));
    expect(types).toContain("llm_stream_chunk");
  });

  it("LI1: come after their dependencies, event by event", async () => {
    const order: string[] = [];
    const slow = onEvent(
      "*",
      async ({ type }) => {
        await new Promise<void>((resolve) => setTimeout(resolve, 2));
        order.push(`A ${type}`);
      },
      { name: "A" },
    );
    const after = onEvent("task_started", ({ type }) => order.push(`B ${type}`), {
      dependsOn: ["A"],
    });
    await crewWith([after, slow]).kickoff();
    expect(order.indexOf("B task_started")).toBe(order.indexOf("A task_started") + 1);
    expect(order.at(-1)).toBe("A run_completed");
  });

  it("LI1: are refused with circular dependencies, naming up to five", () => {
    const ring = (count: number): Listeners =>
      Array.from({ length: count }, (_, index) =>
        onEvent("*", () => undefined, {
          name: `l${index}`,
          dependsOn: [`l${(index + 1) % count}`],
        }),
      );
    expect(() => crewWith(ring(2))).toThrow("circular dependency between listeners: l0 → l1 → l0");
    expect(() => crewWith(ring(1))).toThrow("l0 → l0");
    expect(() => crewWith(ring(7))).toThrow(/l0 → l1 → l2 → l3 → l4 → … \(7 in all\)$/);
  });

  it("are refused with a missing dependency, and for values of other types", () => {
    expect(() => new ListenerPlan([onEvent("*", () => 1, { dependsOn: ["who"] })])).toThrow(
      /depends on "who", which is not in its list/,
    );
    expect(() => new ListenerPlan([(() => 1) as never])).toThrow(/made with onEvent\(\)/);
    expect(() => onEvent([], () => 1)).toThrow(/needs an event type/);
  });

  it("LI2: are reported when they throw, and the run and other listeners continue", async () => {
    const reports: string[] = [];
    const received: string[] = [];
    const crew = crewWith([
      onEvent(
        "task_started",
        () => {
          throw new Error("at once");
        },
        { name: "first" },
      ),
      onEvent("task_started", () => Promise.reject(new Error("later")), { name: "second" }),
      onEvent("task_started", ({ type }) => received.push(type)),
    ]);
    const run = crew.start({ report: ({ message }) => reports.push(message) });
    expect(await run.output()).toMatchObject({ raw: "done" });
    expect(reports).toEqual([
      `listener "first" failed: at once`,
      `listener "second" failed: later`,
    ]);
    expect(received).toEqual(["task_started"]);
  });

  it("finish before the run's end is returned", async () => {
    const done: string[] = [];
    const crew = crewWith([
      onEvent("run_completed", async ({ type }) => {
        await new Promise<void>((resolve) => setTimeout(resolve, 20));
        done.push(type);
      }),
    ]);
    await crew.kickoff();
    expect(done).toEqual(["run_completed"]);
  });

  it("LQ1: do not delay the run, however slow they are", async () => {
    let finish: (() => void) | undefined;
    const crew = crewWith([
      onEvent("run_started", () => new Promise<void>((resolve) => (finish = resolve))),
    ]);
    const run = startCrew(crew);
    expect((await run.settle()).status).toBe("completed");
    finish?.();
    expect((await run.output()).raw).toBe("done");
  });

  it("LQ2: start runs of their own, received by their own listeners", async () => {
    const other = crewWith([], ["other"]);
    const outputs: string[] = [];
    const crew = crewWith([
      onEvent("task_started", async () => outputs.push((await other.kickoff()).raw)),
    ]);
    const { kept } = await runCrewToEnd(crew);
    expect(outputs).toEqual(["other"]);
    expect(kept("crew_kickoff_started")).toHaveLength(1);
  });

  it("LQ3: are abandoned after half a minute, and their signal aborts", async () => {
    const reports: string[] = [];
    let aborted = false;
    const received: string[] = [];
    const { agent } = scriptedAgent(["done"]);
    const clock = startCrew(soloCrew(scriptedAgent(["x"]).agent)).clock;
    const crew = soloCrew(agent, {
      crew: {
        listeners: [
          onEvent(
            "run_started",
            (_, { signal }) =>
              new Promise(() => signal.addEventListener("abort", () => (aborted = true))),
            { name: "stuck" },
          ),
          onEvent("run_completed", ({ type }) => received.push(type)),
        ],
      },
    });
    const run = crew.start({ clock, report: ({ message }) => reports.push(message) });
    await clock.settle();
    expect((await run.status()).status).toBe("completed");
    expect(received).toEqual([]);
    await clock.advance(30_000);
    expect(aborted).toBe(true);
    expect(reports).toEqual([`listener "stuck" failed: it took longer than 30000 ms`]);
    expect(received).toEqual(["run_completed"]);
  });

  it("can be grouped in a class, and passed to one run", async () => {
    class Audit extends RunEventListener {
      readonly seen: string[] = [];
      readonly listeners = [
        onEvent("task_started", ({ taskName }) => this.seen.push(`start ${taskName}`)),
        [
          onEvent("task_completed", ({ output }) =>
            this.seen.push(`end ${JSON.stringify(output)}`),
          ),
        ],
      ];
    }
    const audit = new Audit();
    await soloCrew(scriptedAgent(["done"]).agent)
      .start({ listeners: [audit] })
      .output();
    expect(audit.seen).toEqual(["start work", `end "done"`]);
  });

  it("are called when the run comes to rest, with its whole record", async () => {
    const rests: Array<[number, number]> = [];
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: async (_, { wait }) => JSON.stringify(await wait("p", { kind: "human" })),
    });
    const { agent } = scriptedAgent([calling("ask"), "done"], { tools: [ask] });
    const listeners = [
      onEvent("*", () => undefined, {
        atRest: ({ restedSeq, history }) => rests.push([restedSeq, [...history()].length]),
      }),
    ];
    const run = startCrew(soloCrew(agent, { crew: { listeners } }));
    await run.settle();
    await run.clock.settle();
    const first = run.kept().length;
    expect(rests).toEqual([[0, first]]);
    await run.handle.resume({ feedback: "x" });
    await run.output();
    await run.clock.settle();
    expect(rests).toEqual([
      [0, first],
      [first, run.kept().length],
    ]);
  });
});

describe("listeners of a scope", () => {
  it("replace all others in the runs started inside, and are gone afterwards", async () => {
    const [own, scoped]: [string[], string[]] = [[], []];
    const crew = crewWith([onEvent("run_completed", () => own.push("x"))], ["a", "b"]);
    const output = await withListeners([onEvent("run_completed", () => scoped.push("x"))], () =>
      crew.kickoff(),
    );
    expect([output.raw, own.length, scoped.length]).toEqual(["a", 0, 1]);
    await crew.kickoff();
    expect([own.length, scoped.length]).toEqual([1, 1]);
  });

  it("replace the run's own within a tool, replayed or not", async () => {
    const [outer, inner]: [string[], string[]] = [[], []];
    const sub = new Crew({
      name: "sub",
      tasks: [taskFor(scriptedAgent(["sub answer"]).agent, { name: "inner" })],
    });
    const delegate = tool({
      name: "delegate",
      description: "Delegates.",
      input: z.object({}),
      run: async (_, { wait }) => {
        const { raw } = await withListeners(
          [onEvent("task_completed", ({ taskName }) => inner.push(taskName))],
          () => sub.kickoff(),
        );
        await wait("person", { kind: "human" });
        return raw;
      },
    });
    const { agent } = scriptedAgent([calling("delegate"), "done"], { tools: [delegate] });
    const listeners = [onEvent("task_completed", ({ taskName }) => outer.push(taskName))];
    const run = startCrew(soloCrew(agent, { crew: { listeners } }));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect([outer, inner]).toEqual([["work"], ["inner"]]);
  });
});
