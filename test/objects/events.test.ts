import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { runWithEvictions, runWithKills } from "./support/faults.ts";
import { heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import { Listener, openStream, parsed, range, seqsOf, wholeStream } from "./support/listening.ts";
import {
  eventsOf,
  evict,
  newId,
  reaches,
  runs,
  SOON,
  start,
  stepsOf,
  stubOf,
  TENANT,
} from "./support/runs.ts";

async function eventIdsOf(id: string): Promise<readonly string[]> {
  return (await eventsOf(id)).map((event) => event.id).toSorted();
}

describe("the event log", () => {
  it.each([
    ["an undisturbed run", async () => reaches(await start("tour"), "completed")],
    [
      "a run with an eviction between every two steps",
      async () => (await runWithEvictions("tour")).run,
    ],
    [
      "a run with a kill during every call",
      async () => (await runWithKills("tour", { spared: /charge/ })).run,
    ],
  ])(
    "DC3: %s has each event once, numbered from 1 without a gap, the last one at the end",
    async (_, made) => {
      const { id } = await made();
      const events = await eventsOf(id);
      expect(seqsOf(events)).toEqual(range(1, events.length));
      expect(new Set(events.map((event) => event.id))).toHaveLength(events.length);
      expect(events.filter(({ type }) => type === "run_completed")).toEqual([events.at(-1)]);
    },
  );

  it("DC3: evictions add only what tells of pauses, and drop nothing", async () => {
    const calm = await eventIdsOf((await reaches(await start("tour"), "completed")).id);
    const stormy = await eventIdsOf((await runWithEvictions("tour")).run.id);
    expect(stormy.filter((id) => !/^run_(paused|resumed|waiting)/.test(id))).toEqual(calm);
  });
});

describe("Server-Sent Events", () => {
  it("DC3: a stream resumes at every Last-Event-ID without gap or double", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    const { length } = await eventsOf(id);
    for (let after = 0; after < length; after++) {
      const { events, ids } = await wholeStream(id, { after });
      expect(seqsOf(events)).toEqual(range(after + 1, length));
      expect(ids.map(Number)).toEqual(seqsOf(events));
    }
  });

  it("DC3: a listener who has heard all of a finished run is told to stop", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    const { length } = await eventsOf(id);
    expect((await openStream(id, { after: length })).status).toBe(204);
  });

  it("DC3: a stream opened before the work hears everything up to the last event", async () => {
    const id = newId("tour");
    holdCalls(id);
    await start("tour", { id });
    const stream = wholeStream(id);
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    letGo(id);
    const { events } = await stream;
    expect(seqsOf(events)).toEqual(range(1, (await eventsOf(id)).length));
    expect(events.at(-1)?.type).toBe("run_completed");
  });

  it("DC3: a stream ends when the run waits, and the next one goes on from there", async () => {
    const id = await start("asking");
    const first = await wholeStream(id);
    expect(first.events.at(-1)?.type).toBe("run_waiting");
    await runs.resume(TENANT, id, { feedback: "three" });
    const second = await wholeStream(id, { after: Number(first.ids.at(-1)) });
    expect([...seqsOf(first.events), ...seqsOf(second.events)]).toEqual(
      range(1, (await eventsOf(id)).length),
    );
    expect(second.events.at(-1)?.type).toBe("run_completed");
  });

  it("DC3: ?types= bounds what is heard; the last event comes all the same", async () => {
    const id = await start("tour");
    await reaches(id, "completed");
    const { events } = await wholeStream(id, { types: "task_started,task_completed" });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["task_started", "task_completed", "run_completed"]),
    );
  });

  it("DC3: pieces of a model's answer go to whoever listens, and are not kept", async () => {
    const id = newId("streaming");
    holdCalls(id);
    await start("streaming", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    const response = await openStream(id);
    letGo(id);
    const { events } = parsed(await response.text());
    const chunks = events.flatMap((event) =>
      event.type === "llm_stream_chunk" ? [event.chunk] : [],
    );
    expect(chunks.join("")).toBe("one two three");
    expect((await eventsOf(id)).some(({ type }) => type === "llm_stream_chunk")).toBe(false);
  });

  it("DC3: a listener who goes away disturbs neither the run nor the others", async () => {
    const id = newId("long");
    holdCalls(id, /turn:4\/llm/);
    await start("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    const leaves = await openStream(id);
    const stays = wholeStream(id);
    await leaves.body?.cancel();
    letGo(id);
    expect((await stays).events.at(-1)?.type).toBe("run_completed");
    await reaches(id, "completed");
  });
});

describe("WebSockets", () => {
  it("DC3: a socket resumes after any event without gap or double, and is closed after the last", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    const { length } = await eventsOf(id);
    for (const after of [0, 1, 4, length - 1]) {
      const listener = await Listener.open(id, `?after=${after}`);
      await expect
        .poll(() => listener.closed, SOON)
        .toEqual({ code: 1000, reason: "run_completed" });
      expect(listener.seqs).toEqual(range(after + 1, length));
    }
  });

  it("DC3: a socket that hibernated with its object hears what happens after the answer, once", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const listener = await Listener.open(id);
    await listener.hears("run_waiting");
    await evict(id);
    await runs.resume(TENANT, id, { feedback: "three" });
    await listener.hears("run_completed");
    expect(listener.seqs).toEqual(range(1, (await eventsOf(id)).length));
    await expect.poll(() => listener.closed?.code, SOON).toBe(1000);
  });

  it("DC3: sockets that joined at different times all hear the rest, through evictions", async () => {
    const id = await start("asking-twice");
    await reaches(id, "waiting");
    const early = await Listener.open(id);
    await evict(id);
    const { waits } = await runs.get(TENANT, id);
    await runs.resume(TENANT, id, { feedback: "a", key: waits[0]?.key ?? "" });
    await expect
      .poll(
        async () =>
          (await runs.get(TENANT, id)).status === "waiting" &&
          (await runs.get(TENANT, id)).waits.length,
        SOON,
      )
      .toBe(1);
    const seen = (await eventsOf(id)).length;
    const late = await Listener.open(id, `?after=${seen}`);
    await evict(id);
    await runs.resume(TENANT, id, { feedback: "b" });
    await early.hears("run_completed");
    await late.hears("run_completed");
    const { length } = await eventsOf(id);
    expect(early.seqs).toEqual(range(1, length));
    expect(late.seqs).toEqual(range(seen + 1, length));
  });

  it("DC3: ?types= holds for a hibernated socket, too", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const listener = await Listener.open(id, "?types=task_completed");
    await evict(id);
    await runs.resume(TENANT, id, { feedback: "three" });
    await listener.hears("run_completed");
    expect(listener.events.map(({ type }) => type)).toEqual([
      "task_completed",
      "task_completed",
      "run_completed",
    ]);
  });

  it("DC3: a socket that names a place ahead of the run hears only what comes after it", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const ahead = (await eventsOf(id)).length + 2;
    const listener = await Listener.open(id, `?after=${ahead}`);
    await runs.resume(TENANT, id, { feedback: "three" });
    await listener.hears("run_completed");
    expect(listener.seqs).toEqual(range(ahead + 1, (await eventsOf(id)).length));
  });

  it("DC3: pings are answered while the object sleeps, and other words are ignored", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const listener = await Listener.open(id);
    await evict(id);
    listener.socket.send("ping");
    listener.socket.send("hello?");
    await expect.poll(() => listener.texts.includes("pong"), SOON).toBe(true);
    expect((await runs.get(TENANT, id)).status).toBe("waiting");
  });

  it.each([
    ["closes", (listener: Listener) => listener.socket.close(1000, "enough")],
    ["closes without a word", (listener: Listener) => listener.socket.close()],
  ])(
    "DC3: a client who %s in the midst of a run disturbs neither the run nor the others",
    async (_, leave) => {
      const id = newId("long");
      holdCalls(id, /turn:4\/llm/);
      await start("long", { id });
      await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
      const [leaves, stays] = [await Listener.open(id), await Listener.open(id)];
      await stays.hears("task_started");
      leave(leaves);
      letGo(id);
      await stays.hears("run_completed");
      expect(stays.seqs).toEqual(range(1, (await eventsOf(id)).length));
      expect((await stepsOf(id)).every(({ attempt }) => attempt === 1)).toBe(true);
    },
  );

  it("DC3: a socket that cannot be told does not stop the run", async () => {
    const id = newId("long");
    holdCalls(id, /turn:4\/llm/);
    await start("long", { id });
    await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
    const listeners = [await Listener.open(id), await Listener.open(id)];
    await runInDurableObject(stubOf(id), (_object, state) => {
      state.getWebSockets()[0]?.serializeAttachment(null); // as of one whose opening was cut off
    });
    letGo(id);
    await reaches(id, "completed");
    await expect
      .poll(() => new Set(listeners.map(({ closed }) => closed?.code)), SOON)
      .toEqual(new Set([1000, 1011]));
    expect((await stepsOf(id)).every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it("DC3: sockets that were closed with their object are opened again where they were", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const first = await Listener.open(id);
    await first.hears("run_waiting");
    await evictDurableObject(stubOf(id), { webSockets: "close" });
    await expect.poll(() => first.closed !== undefined, SOON).toBe(true);
    await runs.resume(TENANT, id, { feedback: "three" });
    const second = await Listener.open(id, `?after=${first.seqs.at(-1)}`);
    await second.hears("run_completed");
    expect([...first.seqs, ...second.seqs]).toEqual(range(1, (await eventsOf(id)).length));
  });
});
