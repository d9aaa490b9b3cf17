import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../../src/base/json.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { adoptedSeq } from "../../../src/runtime/adopted-rows.ts";
import { tool } from "../../../src/tools/tool.ts";
import { cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";
import { scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { perform } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

/** A crew that searches, asks a person, and then answers with all that it saw. */
function searching() {
  const searches: string[] = [];
  const search = tool({
    name: "search",
    description: "Search.",
    input: z.object({ query: z.string() }),
    run: ({ query }) => (searches.push(query), `${query} is old`),
  });
  const ask = tool({
    name: "ask",
    description: "Ask a person.",
    input: z.object({ question: z.string() }),
    run: ({ question }, context) => context.wait("answer", { kind: "human", prompt: question }),
  });
  const { agent, model } = scriptedAgent(
    ({ messages }) => {
      const seen = messages.filter(({ role }) => role === "tool");
      if (seen.length === 0)
        return { toolCalls: [{ name: "search", arguments: { query: "tea" } }] };
      if (seen.length === 1)
        return { toolCalls: [{ name: "ask", arguments: { question: "Go on?" } }] };
      return seen.map(({ content }) => textOfContent(content ?? "")).join(" | ");
    },
    { tools: [search, ask] },
  );
  const program = soloCrew(agent).program();
  return { program, model, searches };
}

const SEARCH = "task:work/turn:1/tool:search#0";

describe.each(RUN_STORES)("a fork with an edited result, $name", ({ name, open }) => {
  /** The run that is forked, at its end. */
  async function original() {
    const { program, model } = searching();
    const world = new RunWorld(program.run, {
      fixture: open(),
      tasks: program.tasks,
      models: () => model,
    });
    await world.begin();
    await world.host.resume({ feedback: "yes" });
    const run = await world.rest();
    expect(run.output).toMatchObject({ raw: 'tea is old | {"feedback":"yes"}' });
    return world;
  }

  const edited = (world: RunWorld, key: string, value: JsonValue) =>
    world.host.forks.recordBefore({ edit: { key, value } });

  /** What becomes of the fork, and what it asked for anew. */
  async function forkOf(world: RunWorld, key: string, value: JsonValue) {
    const { program, model, searches } = searching();
    const { start, rows, origin } = edited(world, key, value);
    const fork = new RunWorld(program.run, {
      fixture: open(),
      tasks: program.tasks,
      models: () => model,
    });
    await fork.begin({ ...start, id: "run-2", origin }, rows);
    return { fork, model, searches };
  }

  it("of a tool reaches the model, and earlier steps are not repeated (CA19)", async () => {
    const world = await original();
    const { fork, model, searches } = await forkOf(world, SEARCH, "tea is new");
    expect(await fork.host.status()).toMatchObject({ origin: { edited: SEARCH } });
    await fork.host.resume({ feedback: "no" });
    const run = await fork.rest();
    expect(run.output).toMatchObject({ raw: 'tea is new | {"feedback":"no"}' });
    expect(searches).toEqual([]);
    expect(model.calls).toHaveLength(2);
    const steps = fork.host.reader.steps({ limit: 50, values: true }).items;
    expect(steps.filter((step) => step.edited === true).map(({ key }) => key)).toEqual([SEARCH]);
    expect(steps.find(({ key }) => key === SEARCH)?.value).toMatchObject({ text: "tea is new" });
  });

  it("has no times of copied steps, and counts steps around them from its own beginning", async () => {
    const world = await original();
    await world.clock.advance(3_600_000);
    const { program, model } = searching();
    const { start, rows, origin } = edited(world, SEARCH, "tea is new");
    const fork = new RunWorld(program.run, {
      fixture: open(),
      clock: world.clock,
      tasks: program.tasks,
      models: () => model,
    });
    const { createdAt } = await fork.begin({ ...start, id: "run-2", origin }, rows);
    const steps = fork.host.reader.steps({ limit: 50 }).items;
    const own = steps.filter(({ cause }) => cause?.how !== "copied");
    expect(own.map(({ key }) => key)).toContain("task:work");
    expect(own.filter(({ startedAt }) => startedAt < createdAt)).toEqual([]);
    expect((await fork.host.status()).tasks).toMatchObject([{ startedAt: createdAt }]);
    expect([...fork.host.reader.ended().steps()].map(({ key }) => key)).toEqual(
      own.map(({ key }) => key),
    );
  });

  it("of a tool may be JSON, which reaches the model as text (CA19)", async () => {
    const { fork } = await forkOf(await original(), SEARCH, { age: 3 });
    await fork.host.resume({ feedback: "no" });
    expect((await fork.rest()).output).toMatchObject({ raw: '{"age":3} | {"feedback":"no"}' });
  });

  it("of a model call decides the next steps (CA19)", async () => {
    const world = await original();
    const calls = { toolCalls: [{ name: "search", arguments: { query: "coffee" } }] };
    const { fork, searches } = await forkOf(world, "task:work/turn:1/llm", calls);
    expect(searches).toEqual(["coffee"]);
    await fork.host.resume({ feedback: "yes" });
    const run = await fork.rest();
    expect(run.output).toMatchObject({ raw: 'coffee is old | {"feedback":"yes"}' });
    const done = await forkOf(world, "task:work/turn:1/llm", { text: "Done." });
    expect((await done.fork.host.status()).output).toMatchObject({ raw: "Done." });
    expect(done.model.calls).toEqual([]);
    expect((await done.fork.host.status()).usage).toMatchObject({ requests: 0, totalTokens: 0 });
  });

  it.each([
    ["never mind", { feedback: "never mind" }],
    [
      { approve: false, by: "ana" },
      { approve: false, by: "ana" },
    ],
    [true, { approve: true }],
  ])("of a wait is the person's answer: %j (CA19)", async (value, said) => {
    const world = await original();
    const key = "task:work/turn:2/tool:ask#0/answer";
    const { fork } = await forkOf(world, key, value);
    expect(await fork.host.status()).toMatchObject({
      status: "completed",
      output: { raw: `tea is old | ${JSON.stringify(said)}` },
    });
  });

  it("is refused for other kinds of steps, invalid values and unfinished steps (CA19)", async () => {
    const world = await original();
    const refused = (key: string, value: JsonValue): unknown => {
      try {
        edited(world, key, value);
      } catch (error) {
        const { code, issues } = error as { code: string; issues?: { path: string }[] };
        return [code, ...(issues ?? []).map(({ path }) => path)];
      }
      return "taken";
    };
    const llm = "task:work/turn:1/llm";
    expect(refused("task:work", "x")).toEqual(["invalid_input", "/edit/key"]);
    expect(refused("nope", "x")).toEqual(["not_found"]);
    expect(refused(llm, {})).toEqual(["invalid_input", "/edit/value"]);
    expect(refused(llm, { text: 7 })).toEqual(["invalid_input", "/edit/value/text"]);
    expect(refused(llm, { words: "x" })).toEqual(["invalid_input", "/edit/value/words"]);
    expect(refused(llm, { toolCalls: [{ name: "" }] })).toEqual([
      "invalid_input",
      "/edit/value/toolCalls/0/name",
    ]);
    const wait = "task:work/turn:2/tool:ask#0/answer";
    expect(refused(wait, { feedback: 7 })).toEqual(["invalid_input", "/edit/value/feedback"]);
    expect(refused(wait, {})).toEqual(["invalid_input", "/edit/value/feedback"]);
    const unfinished = new RunWorld(searching().program.run, {
      fixture: open(),
      models: () => searching().model,
    });
    await unfinished.begin();
    expect(() => edited(unfinished, wait, "yes")).toThrow(
      expect.objectContaining({ code: "conflict", message: expect.stringContaining("waiting") }),
    );
  });

  it("refuses an answer that does not fit the wait's schema or choices, and edits of timers (CA19)", async () => {
    const asking = async (scope: RunScope): Promise<JsonValue> => {
      const schema = { type: "object", properties: { n: { type: "number" } } } as const;
      const data = await scope.at("data").wait<JsonValue>({ kind: "input", schema });
      const choice = await scope.at("choice").wait<JsonValue>({ kind: "human", choices: ["a"] });
      await scope.at("rest").wait({ kind: "timer", dueAtMs: scope.clock.now() + 1 });
      return [data, choice];
    };
    const world = new RunWorld(asking, { fixture: open() });
    await world.begin();
    await world.host.resume({ value: { n: 1 } });
    await world.rest();
    await world.host.resume({ key: "choice", value: "a" });
    await world.rest();
    await world.clock.advance(5);
    expect((await world.rest()).status).toBe("completed");
    const issues = (path: string): unknown =>
      expect.objectContaining({ issues: [expect.objectContaining({ path })] });
    expect(() => edited(world, "data", { n: "one" })).toThrow(issues("/edit/value/n"));
    expect(() => edited(world, "choice", "b")).toThrow(issues("/edit/value"));
    expect(() => edited(world, "rest", null)).toThrow(issues("/edit/key"));
    expect(edited(world, "data", { n: 2 }).rows.at(-1)).toMatchObject({ value: '{"n":2}' });
  });

  it("leaves out steps ended after the edited one, and steps open beside it", async () => {
    const beside = async (scope: RunScope): Promise<JsonValue> => {
      const one = perform(scope, "one", () => "1");
      const two = one.then(() => perform(scope, "two", () => "2"));
      return [await one, await two];
    };
    const world = new RunWorld(beside, { fixture: open() });
    await world.begin();
    const { rows } = edited(world, "one", "changed");
    expect(rows.map(({ key, value }) => [key, value])).toEqual([["one", '"changed"']]);
  });

  it("copies no step from the start", async () => {
    const world = await original();
    const { rows, origin, more } = world.host.forks.recordBefore({ fromStart: true });
    expect({ rows, origin, more }).toEqual({ rows: [], origin: { runId: "run-1" } });
    expect(adoptedSeq(world.store)).toBe(0);
  });

  // What is in memory is gone with its process.
  it.skipIf(name === "in memory")(
    "ends the same wherever the process dies, also while the record is taken over in pages",
    async () => {
      const world = await original();
      const make = (): Subject => {
        const { program, searches } = searching();
        const { start, rows, origin, more } = world.host.forks.recordBefore(
          { edit: { key: SEARCH, value: "tea is new" } },
          { maxLength: 1 },
        );
        return {
          program,
          fixture: open(),
          start: { ...start, id: "run-1", origin, ...(more && { adopting: more }) },
          rows,
          recordPage: async ({ place }) => world.host.forks.recordPage(place, 1),
          answer: () => ({ feedback: "no" }),
          calls: searches,
        };
      };
      const { whole, cut } = await cutAfterEveryWrite(make);
      expect(whole.run).toMatchObject({
        status: "completed",
        output: { raw: 'tea is new | {"feedback":"no"}' },
      });
      expect(cut.length).toBeGreaterThan(10);
      for (const { course } of cut) expect(course).toEqual(whole.course);
    },
  );
});

it("a fork that does not fit its other definition fails, in place of a hold", async () => {
  const two = async (scope: RunScope): Promise<JsonValue> => [
    await perform(scope, "one", () => 1),
    await perform(scope, "two", () => 2),
  ];
  const other = async (scope: RunScope): Promise<JsonValue> => perform(scope, "another", () => 3);
  const world = new RunWorld(two);
  await world.begin();
  const { start, rows, origin } = world.host.forks.recordBefore({ fromStep: "two" });
  const fork = async (more: object): Promise<RunWorld> => {
    const forked = new RunWorld(other, { codeVersion: "v1" });
    await forked.begin({ ...start, id: "run-2", origin: { ...origin, ...more } }, rows);
    return forked;
  };
  expect(await (await fork({ definition: 2 })).host.status()).toMatchObject({
    status: "failed",
    error: { code: "journal_mismatch", message: expect.stringContaining("one") },
  });
  expect(await (await fork({})).host.status()).toMatchObject({
    status: "waiting",
    held: { code: "journal_mismatch" },
  });
});

it("names a model for all agents in the run and its children", async () => {
  const { agent, model: own } = scriptedAgent(() => "own");
  const named = scriptedModel(() => "named");
  const program = soloCrew(agent).program();
  const world = new RunWorld(program.run, {
    tasks: program.tasks,
    models: (spec) => (spec === "openai/other" ? named : own),
  });
  expect(await world.begin({ overrides: { llm: "openai/other" } })).toMatchObject({
    output: { raw: "named" },
  });
  expect(own.calls).toEqual([]);
});
