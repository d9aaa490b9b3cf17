import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { AT_ONCE_MS } from "../support/at-once.ts";
import { runWithEvictions, runWithKills } from "./support/faults.ts";
import { RunReader } from "../../src/runtime/run-reader.ts";
import { foldWords, type Words } from "../../src/wire/call-words.ts";
import { heldCalls, holdCalls, letGo } from "./support/ledger.ts";
import {
  Listener,
  openStream,
  parsed,
  range,
  seqsOf,
  wholeStream,
  type Heard,
} from "./support/listening.ts";
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
import { letSpeak, spoken } from "./support/speech.ts";

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

  it("DC3: evictions add only pause events, and drop no event", async () => {
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

  it("DC3: a listener past the end of a finished run gets 204", async () => {
    const id = await start("single");
    await reaches(id, "completed");
    const { length } = await eventsOf(id);
    expect((await openStream(id, { after: length })).status).toBe(204);
  });

  it("DC3: a stream opened before the work receives everything up to the last event", async () => {
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

  it("DC3: ?types= limits the events; the last one comes all the same", async () => {
    const id = await start("tour");
    await reaches(id, "completed");
    const { events } = await wholeStream(id, { types: "task_started,task_completed" });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["task_started", "task_completed", "run_completed"]),
    );
  });

  it("DC3: pieces of a model's answer go to listeners, and are not stored", async () => {
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

  it("DC3: a listener that disconnects disturbs neither the run nor the others", async () => {
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

  it("ES1, DC3: a socket hibernated with its object receives the events after the answer, once", async () => {
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

  it("DC3: sockets opened at different times all receive the rest, through evictions", async () => {
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
    await runs.resume(TENANT, id, { feedback: "b", key: waits[1]?.key ?? "" });
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

  it("DC3: a socket with a place ahead of the run receives only later events", async () => {
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
    ["closes without a code", (listener: Listener) => listener.socket.close()],
  ])(
    "DC3: a client that %s in the middle of a run disturbs neither the run nor the others",
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

  it("DC3: a broken socket does not stop the run", async () => {
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

  it("DC3: sockets closed with their object are opened again at their place", async () => {
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

describe("a stream open while its run waits", () => {
  const open = (id: string, search = ""): Promise<Response> =>
    runs.events(TENANT, id, new Request(`https://run/events?follow=1${search}`));

  /** What has come so far. */
  const reading = (response: Response) => {
    const heard = { text: "", done: Promise.resolve() };
    const decoder = new TextDecoder();
    heard.done = (async () => {
      for await (const bytes of response.body ?? [])
        heard.text += decoder.decode(bytes, { stream: true });
    })();
    return { heard, seqs: () => seqsOf(parsed(heard.text).events) };
  };

  it("OP1, DC3: receives another client's answer at once, though the object was not in memory", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const { heard, seqs } = reading(await open(id));
    await expect.poll(() => heard.text, SOON).toContain("event: run_waiting");
    await expect
      .poll(() => runInDurableObject(stubOf(id), (_, state) => state.getWebSockets().length), SOON)
      .toBe(1);
    await evict(id);
    const answeredAtMs = Date.now();
    await runs.resume(TENANT, id, { feedback: "three" });
    await expect.poll(() => heard.text, SOON).toContain("event: wait_settled");
    expect(Date.now() - answeredAtMs).toBeLessThan(AT_ONCE_MS);
    await heard.done;
    expect(seqs()).toEqual(range(1, (await eventsOf(id)).length));
  });

  it("OP1, DC3: goes on over several waits, and past the death of the object ends, to be opened again", async () => {
    const id = await start("asking-twice");
    await reaches(id, "waiting");
    const first = reading(await open(id));
    await expect.poll(() => first.heard.text, SOON).toContain("event: run_waiting");
    const { waits } = await runs.get(TENANT, id);
    await runs.resume(TENANT, id, { feedback: "a", key: waits[0]?.key ?? "" });
    await expect.poll(() => first.heard.text, SOON).toContain("event: wait_settled");
    await expect
      .poll(() => runInDurableObject(stubOf(id), (_, state) => state.getWebSockets().length), SOON)
      .toBe(1);
    await evictDurableObject(stubOf(id), { webSockets: "close" });
    await first.heard.done;
    const second = reading(await open(id, `&after=${first.seqs().at(-1)}`));
    await runs.resume(TENANT, id, { feedback: "b", key: waits[1]?.key ?? "" });
    await second.heard.done;
    expect([...first.seqs(), ...second.seqs()]).toEqual(range(1, (await eventsOf(id)).length));
  });

  it("OP1: leaves no socket in the object when the client leaves", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const response = await open(id);
    const reader = response.body?.getReader();
    const sockets = () =>
      runInDurableObject(stubOf(id), (_, state) => state.getWebSockets().length);
    for (let text = ""; !text.includes("run_waiting");)
      text += new TextDecoder().decode((await reader?.read())?.value);
    const last = reader?.read();
    await expect.poll(sockets, SOON).toBe(1);
    await reader?.cancel();
    await last;
    await expect.poll(sockets, SOON).toBe(0);
  });

  it("DC3: a listener of only the end receives just the end", async () => {
    const id = await start("asking");
    await reaches(id, "waiting");
    const { heard } = reading(await open(id, "&types=run_completed"));
    await runs.resume(TENANT, id, { feedback: "three" });
    await heard.done;
    expect(parsed(heard.text).events.map(({ type }) => type)).toEqual(["run_completed"]);
  });
});

describe("words of a call under way", () => {
  const wordsOf = (events: readonly Heard[]) =>
    events.reduce(foldWords, {} as Words)["task:talk/turn:1/llm"];

  /** The words as somebody has them who comes now, over a stream. */
  const joined = async (id: string): Promise<string | undefined> => {
    const response = await openStream(id);
    let text = "";
    for await (const bytes of response.body ?? []) {
      text += new TextDecoder().decode(bytes);
      if (text.includes("llm_stream_snapshot")) break;
    }
    return wordsOf(parsed(text).events)?.text;
  };

  it("LW3: reach late listeners of streams and sockets from the first word on (CA22)", async () => {
    const id = newId("speaking");
    await start("speaking", { id });
    const listeners: Listener[] = [];
    let said = "";
    for (const word of ["one ", "two ", "three "]) {
      letSpeak(id, word);
      said += word;
      await expect.poll(() => spoken(id), SOON).toBe(said);
      expect(await joined(id)).toBe(said);
      listeners.push(await Listener.open(id));
      for (const { events } of listeners)
        await expect.poll(() => wordsOf(events)?.text, SOON).toBe(said);
    }
    const rest = wholeStream(id);
    letSpeak(id, undefined);
    await reaches(id, "completed");
    for (const listener of listeners) await listener.hears("run_completed");
    for (const events of [(await rest).events, ...listeners.map((listener) => listener.events)])
      expect(wordsOf(events)).toMatchObject({ text: said, done: true });
  });
});

describe("words of a run that was not asked to stream", () => {
  const said = (events: readonly Heard[]): string =>
    events
      .flatMap((event) =>
        event.type === "llm_stream_chunk" && event.path.startsWith("task:ask/turn:2")
          ? [event.chunk]
          : [],
      )
      .join("");

  it("E6: come over sockets, also hibernated ones, and over streams, and leave the same record", async () => {
    const unheard = await start("asking");
    await reaches(unheard, "waiting");
    await runs.resume(TENANT, unheard, { feedback: "three" });
    await reaches(unheard, "completed");

    const id = await start("asking");
    await reaches(id, "waiting");
    const all = await Listener.open(id);
    const tasks = await Listener.open(id, "?types=task_completed");
    const silent = await Listener.open(id, "?words=none");
    await all.hears("run_waiting");
    await evict(id);
    await runs.resume(TENANT, id, { feedback: "three" });
    await all.hears("run_completed");
    expect(said(all.events)).toBe("answer from: the person said: three");
    for (const { events } of [tasks, silent]) expect(said(events)).toBe("");

    const streamed = (events: readonly Heard[]) =>
      events.flatMap((event) => (event.type === "llm_call_started" ? [event.stream] : []));
    expect(streamed(await eventsOf(unheard))).toEqual([false, false, false]);
    expect(streamed(await eventsOf(id))).toEqual([false, false, true]);
    expect((await eventIdsOf(id)).length).toBe((await eventIdsOf(unheard)).length);
    const rows = async (run: string) =>
      (await stepsOf(run)).map(({ key, state, attempt }) => ({ key, state, attempt }));
    expect(await rows(id)).toEqual(await rows(unheard));
  });

  it("E6: are requested by a stream or a socket that takes them, and by no other", async () => {
    const cases: ReadonlyArray<readonly [(id: string) => Promise<unknown>, boolean]> = [
      [(id) => openStream(id), true],
      [(id) => openStream(id, { types: "llm_stream_chunk" }), true],
      [(id) => openStream(id, { types: "run_completed" }), false],
      [(id) => Listener.open(id), true],
      [(id) => Listener.open(id, "?path=task:before"), false],
      [(id) => Listener.open(id, "?words=receive"), false],
    ];
    for (const [listen, streams] of cases) {
      const id = newId("asking");
      holdCalls(id, /task:before/);
      await start("asking", { id });
      await expect.poll(() => heldCalls(id).length, SOON).toBe(1);
      await listen(id);
      letGo(id);
      await reaches(id, "waiting");
      const calls = (await eventsOf(id)).filter((event) => event.type === "llm_call_started");
      expect(calls.map((event) => (event as { stream?: boolean }).stream)).toEqual([
        false,
        streams,
      ]);
    }
  });
});

describe("a client that never reads", () => {
  it("ES2: is sent a bounded part of a long log over one socket, and goes on with the next", async () => {
    const id = await start("long-log");
    await reaches(id, "completed");
    const all = (await eventsOf(id)).length;
    let seqs: readonly number[] = [];
    let sockets = 0;
    for (; seqs.length < all && sockets < 20; sockets++) {
      const listener = await Listener.open(id, `?after=${seqs.at(-1) ?? 0}`);
      await expect.poll(() => listener.closed !== undefined, SOON).toBe(true);
      expect(listener.texts.join("").length).toBeLessThan(2.1 * 1024 * 1024);
      expect(listener.closed?.code).toBe(seqs.length + listener.seqs.length < all ? 1013 : 1000);
      seqs = [...seqs, ...listener.seqs];
    }
    expect(seqs).toEqual(range(1, all));
    expect(sockets).toBeGreaterThan(2);
  });
});

describe("clients that never read a long log", () => {
  it("SE1: have a page or two read for each of them, through the Worker", async () => {
    const id = await start("long-log");
    await reaches(id, "completed");
    const spy = vi.spyOn(RunReader.prototype, "events");
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => runs.events(TENANT, id, new Request("https://run/events"))),
    );
    await new Promise<void>((resolve) => setTimeout(resolve, 500));
    const pages = spy.mock.results.map(({ value }) => JSON.stringify(value).length);
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.reduce((sum, length) => sum + length, 0)).toBeLessThan(20 * 1024 * 1024);
    // Those who read after all get everything.
    const whole = parsed((await streams[0]?.text()) ?? "").events;
    expect(seqsOf(whole)).toEqual(range(1, (await eventsOf(id)).length));
    spy.mockRestore();
    for (const stream of streams.slice(1)) await stream.body?.cancel();
  });
});
