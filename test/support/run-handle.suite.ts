// What a run handle does, wherever the run lives. One suite for every form: `describeRunHandle(form)`.
import { describe, expect, it } from "vitest";
import type { LiveEvent, RunEvent } from "../../src/events/run-event.ts";
import type { EventsOptions, RunHandle } from "../../src/runtime/handle/run-handle.ts";

export type RunHandleForm = {
  readonly name: string;
  /**
   * Starts a run of one of these crews: `single` (answers "done"), `asking` (waits for a person and answers what they said), `choosing`
   * (waits for yes or no), `asking-twice` (two waits at once), `endless` (a tool that only ends when it is aborted), `failing`
   * (a model that cannot be reached), `streaming` ("one two three" in pieces), `napping` (sleeps a moment).
   */
  readonly start: (crew: string) => Promise<RunHandle>;
  /** Another handle on the same run, as in another process. @default the same one */
  readonly again?: (id: string) => RunHandle;
};

async function all(
  run: RunHandle,
  options: EventsOptions = {},
): Promise<ReadonlyArray<RunEvent | LiveEvent>> {
  const events: Array<RunEvent | LiveEvent> = [];
  for await (const event of run.events({ words: "receive", ...options })) events.push(event);
  return events;
}

function seqsOf(events: ReadonlyArray<RunEvent | LiveEvent>): readonly number[] {
  return events.flatMap((event) => ("seq" in event ? [event.seq] : []));
}

function upTo(last: number, from = 1): readonly number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => from + index);
}

/** The run once it waits for so many answers. */
function waits(run: RunHandle, count = 1): Promise<void> {
  return expect
    .poll(
      async () => ({
        status: (await run.status()).status,
        waits: (await run.status()).waits.length,
      }),
      { timeout: 5_000, interval: 10 },
    )
    .toEqual({ status: "waiting", waits: count });
}

export function describeRunHandle({ name, start, again }: RunHandleForm): void {
  describe(`a run handle ${name}`, () => {
    it("DC7: gives the output of a run that completed, as often as asked", async () => {
      const run = await start("single");
      expect(await run.output()).toMatchObject({ raw: "done", tasks: [{ raw: "done" }] });
      expect(await run.output()).toMatchObject({ raw: "done" });
      expect(await run.status()).toMatchObject({
        id: run.id,
        kind: "crew",
        name: "single",
        status: "completed",
        waits: [],
        usage: { requests: 1 },
        tasks: [{ status: "completed" }],
      });
    });

    it("reads the run in depth: steps, one step, model calls and pages of events", async () => {
      const run = await start("single");
      await run.output();
      const { items } = await run.journal({ kinds: ["model"], values: true });
      const key = items[0]?.key ?? "";
      expect(items).toMatchObject([{ kind: "model", state: "done", usage: { requests: 1 } }]);
      const around = await run.journal({ around: key, limit: 1 });
      expect(around.items.map((step) => step.key)).toEqual([key]);
      expect(around.prevCursor).toBeDefined();
      expect(await run.step(key)).toMatchObject({ key, retries: [], value: { text: "done" } });
      expect(await run.step(key, { from: 1, length: 6 })).toMatchObject({
        piece: { from: 1, text: expect.stringMatching(/^"\w+/) as string },
      });
      expect((await run.calls()).items).toMatchObject([{ key, purpose: "turn" }]);
      expect(await run.modelCall(key)).toMatchObject({
        request: { recorded: "full" },
        response: { text: "done" },
      });
      const events = await all(run);
      const page = await run.eventPage({ order: "desc", limit: 2, slim: true });
      expect(seqsOf(page.items)).toEqual([events.length, events.length - 1]);
      expect(await run.eventPage({ after: events.length, waitMs: 1_000 })).toMatchObject({
        items: [],
        ended: true,
      });
      const below = await all(run, { path: key });
      expect(below.length).toBeGreaterThan(0);
      expect(new Set(below.map(({ path }) => path))).toEqual(new Set([key]));
      await expect(run.step("nope")).rejects.toMatchObject({ code: "not_found" });
    });

    it("rejects with the error of a run that failed", async () => {
      const run = await start("failing");
      await expect(run.output()).rejects.toMatchObject({
        code: "model_unauthorized",
        message: expect.stringContaining("no key") as string,
      });
      expect((await run.status()).error).toMatchObject({ code: "model_unauthorized" });
    });

    it("DC3: tells all events from the first to the last, in order, and ends", async () => {
      const run = await start("single");
      const events = await all(run);
      expect(seqsOf(events)).toEqual(upTo(events.length));
      expect(events.at(-1)).toMatchObject({ type: "run_completed", runId: run.id });
    });

    it("DC3: tells events after a place, and of some types", async () => {
      const run = await start("single");
      const { length } = await all(run);
      expect(seqsOf(await all(run, { after: 3 }))).toEqual(upTo(length, 4));
      expect(seqsOf(await all(run, { after: length }))).toEqual([]);
      expect(
        (await all(run, { types: ["task_started", "task_completed"] })).map(({ type }) => type),
      ).toEqual(["task_started", "task_completed"]);
    });

    it("DC3: goes on telling over a wait, without gap or double", async () => {
      const run = await start("asking");
      const told = all(run);
      await waits(run);
      await run.resume({ feedback: "three" });
      const events = await told;
      expect(seqsOf(events)).toEqual(upTo(events.length));
      expect(events.map(({ type }) => type)).toEqual(
        expect.arrayContaining([
          "wait_opened",
          "run_waiting",
          "wait_settled",
          "run_resumed",
          "run_completed",
        ]),
      );
    });

    it("OP1, DC3: tells at once what another handle has answered, and gives the output", async () => {
      const run = await start("asking");
      const other = again?.(run.id) ?? run;
      const states: string[] = [];
      const told = all(other, { onConnection: (state) => states.push(state) });
      const output = (again?.(run.id) ?? run).output();
      await waits(run);
      await new Promise<void>((resolve) => setTimeout(resolve, 300)); // all have heard that it waits
      const answeredAtMs = Date.now();
      await run.resume({ feedback: "three" });
      const events = await told;
      await output;
      expect(Date.now() - answeredAtMs).toBeLessThan(2_000);
      expect(seqsOf(events)).toEqual(upTo(events.length));
      expect(states.filter((state) => state !== "connecting")).toEqual(["live", "ended"]);
    });

    it("DC3: stops telling when the listener has had enough, and the run goes on", async () => {
      const run = await start("asking");
      const stop = new AbortController();
      const told = all(run, { signal: stop.signal });
      await waits(run);
      stop.abort();
      expect((await told).some(({ type }) => type === "run_completed")).toBe(false);
      for await (const event of run.events()) if (event.type === "task_started") break;
      await run.resume({ feedback: "three" });
      expect(await run.output()).toMatchObject({ raw: "answer from: the person said: three" });
    });

    it("DC3: tells the pieces of an answer to who listens in time, and keeps none", async () => {
      const run = await start("streaming");
      const chunks = (await all(run)).flatMap((event) =>
        event.type === "llm_stream_chunk" ? [event.chunk] : [],
      );
      expect(["", "one two three"]).toContain(chunks.join(""));
      expect((await all(run)).some(({ type }) => type === "llm_stream_chunk")).toBe(false);
    });

    it("DC2: waits for a person and takes the answer", async () => {
      const run = await start("asking");
      await waits(run);
      expect((await run.status()).waits).toMatchObject([{ kind: "human", prompt: "How many?" }]);
      const output = run.output();
      expect((await run.resume({ feedback: "three" })).status).not.toBe("waiting");
      expect(await output).toMatchObject({ raw: "answer from: the person said: three" });
    });

    it("DC7: refuses answers that nobody waits for", async () => {
      const run = await start("asking");
      await waits(run);
      await expect(run.resume({ key: "another", feedback: "x" })).rejects.toMatchObject({
        code: "conflict",
      });
      await run.resume({ feedback: "three" });
      await run.output();
      await expect(run.resume({ feedback: "four" })).rejects.toMatchObject({ code: "conflict" });
    });

    it("refuses answers that do not fit, and says what fits", async () => {
      const run = await start("choosing");
      await waits(run);
      await expect(run.resume({ value: "perhaps" })).rejects.toMatchObject({
        code: "invalid_input",
        issues: [{ path: "/value", message: expect.stringContaining(`"yes"`) as string }],
      });
      await run.resume({ value: "yes" });
      expect(await run.output()).toMatchObject({ raw: "answer from: yes | facts about a" });
    });

    it("DC8: wants to know which of two waits an answer is for", async () => {
      const run = await start("asking-twice");
      await waits(run, 2);
      await expect(run.resume({ feedback: "x" })).rejects.toMatchObject({ code: "conflict" });
      const [first, second] = (await run.status()).waits;
      await run.resume({ key: second?.key ?? "", feedback: "b" });
      await waits(run, 1);
      await run.resume({ key: first?.key ?? "", feedback: "a" });
      expect(await run.output()).toMatchObject({
        raw: "answer from: the person said: a | the person said: b",
      });
    });

    it("DC2: sleeps and goes on by itself", async () => {
      const run = await start("napping");
      expect(await run.output()).toMatchObject({ raw: "answer from: slept 300 ms" });
    });

    it("DC4: cancels a call under way", async () => {
      const run = await start("endless");
      for await (const event of run.events()) if (event.type === "tool_usage_started") break;
      const [output, cancelled] = await Promise.allSettled([run.output(), run.cancel("enough")]);
      expect(cancelled).toMatchObject({ value: { status: "cancelled" } });
      expect(output).toMatchObject({
        reason: { code: "run_cancelled", message: "the run was cancelled: enough" },
      });
      expect((await all(run)).at(-1)).toMatchObject({ type: "run_cancelled", reason: "enough" });
    });

    it("DC7: cancels twice as once, and not what is finished", async () => {
      const waiting = await start("asking");
      await waits(waiting);
      await waiting.cancel();
      expect(await waiting.cancel("again")).toMatchObject({
        status: "cancelled",
        error: { message: "the run was cancelled" },
      });
      const finished = await start("single");
      await finished.output();
      await expect(finished.cancel()).rejects.toMatchObject({ code: "conflict" });
    });

    it("DC7: pauses, takes answers meanwhile, and goes on when unpaused", async () => {
      const run = await start("asking");
      await waits(run);
      expect(await run.pause()).toMatchObject({ status: "waiting", paused: true });
      expect(await run.pause()).toMatchObject({ status: "waiting", paused: true });
      expect(await run.resume({ feedback: "three" })).toMatchObject({
        status: "waiting",
        paused: true,
      });
      const unpaused = await run.unpause();
      expect(unpaused.paused).toBeUndefined();
      expect(await run.output()).toMatchObject({ raw: "answer from: the person said: three" });
      await expect(run.unpause()).rejects.toMatchObject({ code: "conflict" });
      await expect(run.pause()).rejects.toMatchObject({ code: "conflict" });
    });
  });
}
