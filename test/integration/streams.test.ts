// Streams of a real Worker: heard late, by two clients, past its death, and by clients that never read.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  EdgecrewClient,
  foldWords,
  type ClientOptions,
  type ConnectionState,
  type RunStore,
  type SavedRun,
  type Words,
} from "../../src/client/index.ts";
import { AT_ONCE_MS } from "../support/at-once.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const cwd = fileURLToPath(new URL(".", import.meta.url));
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-streams-`);
const project = { cwd, config: "streams.toml", persistTo };
const ANSWER = Array.from({ length: 60 }, (_, index) => `word${index} `).join("");

let dev: WranglerDev;
const client = (): EdgecrewClient => new EdgecrewClient({ baseUrl: dev.url });

beforeAll(async () => {
  migrate(project);
  dev = await WranglerDev.start(project);
});

afterAll(async () => {
  await dev.kill();
  rmSync(persistTo, { recursive: true, force: true });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What the memory of all processes of the Worker comes to, in MB. */
function residentMb(): number {
  let kb = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const group = Number(/\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      if (group === dev.pid && status.startsWith("Name:\tworkerd"))
        kb += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    } catch {
      // it has ended meanwhile
    }
  }
  return kb / 1024;
}

/** The databases of runs that are open: those of the objects that are in memory. */
function openRuns(): number {
  let count = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const group = Number(/\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
      if (group !== dev.pid) continue;
      const files = readdirSync(`/proc/${pid}/fd`).map((fd) =>
        readlinkSync(`/proc/${pid}/fd/${fd}`),
      );
      count += files.filter((file) => /CrewRun\/[0-9a-f]+\.sqlite$/.test(file)).length;
    } catch {
      // it has ended meanwhile
    }
  }
  return count;
}

describe("a waiting run", () => {
  it("OP1: is out of memory while clients listen, and still reaches them at once", async () => {
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => client().flows.kickoff("asking")),
    );
    const settledAtMs = new Map<string, number>();
    const reading = runs.map(async ({ id }) => {
      for await (const { type } of client().runs.handle(id).events())
        if (type === "wait_settled") settledAtMs.set(id, Date.now());
    });
    expect(openRuns()).toBeGreaterThanOrEqual(5);
    await expect.poll(openRuns, { timeout: 30_000, interval: 500 }).toBe(0);
    for (const { id } of runs) {
      const answeredAtMs = Date.now();
      await client().runs.handle(id).resume({ value: "yes" });
      await expect.poll(() => settledAtMs.get(id) ?? 0).toBeGreaterThan(0);
      expect((settledAtMs.get(id) ?? Infinity) - answeredAtMs).toBeLessThan(AT_ONCE_MS);
    }
    await Promise.all(reading);
  });

  it("OP1: reaches clients within a second when another client answers, again and again", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await client().flows.kickoff("asking");
      let settledAtMs = 0;
      const states: ConnectionState[] = [];
      const reading = (async () => {
        const onConnection = (state: ConnectionState): void => void states.push(state);
        for await (const { type } of client().runs.handle(id).events({ onConnection }))
          if (type === "wait_settled") settledAtMs = Date.now();
      })();
      const output = client().runs.handle(id).output();
      await expect.poll(async () => (await client().runs.get(id)).status).toBe("waiting");
      await pause(1_500);
      const answeredAtMs = Date.now();
      await client().runs.handle(id).resume({ value: "yes" });
      await Promise.all([reading, output]);
      expect(settledAtMs - answeredAtMs).toBeLessThan(AT_ONCE_MS);
      expect(Date.now() - answeredAtMs).toBeLessThan(2 * AT_ONCE_MS);
      expect(states).toEqual(["connecting", "live", "ended"]);
    }
  });
});

describe("a waiting run, followed over a WebSocket", () => {
  it("FLR2: reaches a client in Node at once", async () => {
    const { id } = await client().flows.kickoff("asking");
    let sockets = 0;
    class CountedSocket extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols);
        sockets++;
      }
    }
    const webSocket = CountedSocket as unknown as NonNullable<ClientOptions["webSocket"]>;
    const listener = new EdgecrewClient({ url: dev.url, webSocket });
    let settledAtMs = 0;
    const reading = (async () => {
      for await (const { type } of listener.runs.handle(id).events())
        if (type === "wait_settled") settledAtMs = Date.now();
    })();
    await expect.poll(() => sockets, { timeout: 20_000 }).toBe(1);
    await pause(500);
    const answeredAtMs = Date.now();
    await client().runs.handle(id).resume({ value: "yes" });
    await reading;
    expect(settledAtMs - answeredAtMs).toBeLessThan(AT_ONCE_MS);
    expect(sockets).toBe(1);
  }, 60_000);

  it("FLR2: reaches a client in a Worker at once", async () => {
    const { id } = await client().flows.kickoff("asking");
    const following = fetch(`${dev.url}/following?run=${id}`);
    await expect.poll(async () => (await client().runs.get(id)).status).toBe("waiting");
    await pause(2_500);
    const answeredAtMs = Date.now();
    await client().runs.handle(id).resume({ value: "yes" });
    const { sockets, heard } = (await (await following).json()) as {
      readonly sockets: number;
      readonly heard: Readonly<Record<string, number>>;
    };
    expect(sockets).toBe(1);
    expect(heard["run_completed"]).toBeGreaterThan(answeredAtMs - 5);
    expect((heard["wait_settled"] ?? Infinity) - answeredAtMs).toBeLessThan(AT_ONCE_MS);
  }, 60_000);
});

describe("words of an answer", () => {
  it("are right in a store at all times, over reloads and past a SIGKILL (CC3)", async () => {
    const run = await client().crews.kickoff("speech", { inputs: {} });
    const texts: string[] = [];
    let saved: string | undefined;
    const persist = {
      save: (_: string, state: SavedRun): void => void (saved = JSON.stringify(state)),
      load: () => (saved === undefined ? undefined : (JSON.parse(saved) as SavedRun)),
    };
    const open = (): RunStore => {
      const store = client().runs.store(run, { persist });
      const look = (): void => void texts.push(Object.values(store.get().text)[0]?.text ?? "");
      look();
      store.subscribe(look);
      return store;
    };
    const first = open();
    await expect.poll(() => texts.at(-1)?.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(60);
    first.close();
    const heard = texts.at(-1) ?? "";
    const second = open();
    expect(texts.at(-1)).toBe(heard);
    await expect.poll(() => texts.at(-1)?.length ?? 0).toBeGreaterThan(heard.length);
    const port = Number(new URL(dev.url).port);
    await dev.kill();
    second.close();
    dev = await WranglerDev.start({ ...project, port });
    const third = open();
    await expect.poll(() => third.get().connection, { timeout: 60_000 }).toBe("ended");
    expect(third.get().status).toBe("completed");
    expect(texts.at(-1)).toBe(ANSWER);
    for (const text of texts) expect(ANSWER.startsWith(text)).toBe(true);
    // The words of the attempt that was cut off are taken back.
    expect(texts.some(({ length }, at) => length < (texts[at - 1]?.length ?? 0))).toBe(true);
    third.close();
  }, 120_000);

  it("LW1, LW3: are right at all times for early, late and returning listeners, past a SIGKILL", async () => {
    const { id } = await client().crews.kickoff("speech", { inputs: {} });
    const readers: Array<{ words: Words; texts: string[]; states: string[]; done: Promise<void> }> =
      [];
    const join = (): void => {
      const reader = {
        words: {} as Words,
        texts: [] as string[],
        states: [] as string[],
        done: Promise.resolve(),
      };
      const onConnection = (state: ConnectionState): void => void reader.states.push(state);
      reader.done = (async () => {
        for await (const event of client().runs.handle(id).events({ onConnection })) {
          reader.words = foldWords(reader.words, event);
          const text = Object.values(reader.words)[0]?.text;
          if (text !== undefined) reader.texts.push(text);
        }
      })();
      readers.push(reader);
    };
    join();
    await expect.poll(() => readers[0]?.texts.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(8);
    join();
    await expect.poll(() => readers[1]?.texts.length ?? 0, { timeout: 20_000 }).toBeGreaterThan(3);
    expect(readers[1]?.texts[0]?.startsWith("word0 word1 ")).toBe(true);
    const port = Number(new URL(dev.url).port);
    await dev.kill();
    await pause(500);
    dev = await WranglerDev.start({ ...project, port });
    join();
    await Promise.all(readers.map(({ done }) => done));
    for (const { texts } of readers) {
      expect(texts.at(-1)).toBe(ANSWER);
      for (const text of texts) expect(ANSWER.startsWith(text)).toBe(true);
    }
    expect(readers[0]?.states).toContain("retrying");
    expect(readers[0]?.states.at(-1)).toBe("ended");
    // The words of the attempt that was cut off are taken back.
    const lengths = readers[0]?.texts.map(({ length }) => length) ?? [];
    expect(lengths.some((length, index) => length < (lengths[index - 1] ?? 0))).toBe(true);
  }, 120_000);
});

describe("clients that never read", () => {
  // What 20 streams hold is mostly in buffers of the loopback network; test/objects/events.test.ts counts what is read for them.
  it("ES2: leave little of a long log in memory, as 20 WebSockets", async () => {
    const run = await client().flows.kickoff("log");
    await run.output();
    let size = 0;
    for await (const event of run.events()) size += JSON.stringify(event).length;
    expect(size).toBeGreaterThan(10_000_000);
    const { hostname, port, host } = new URL(dev.url);
    const request = [
      `GET /runs/${run.id}/events HTTP/1.1`,
      `Host: ${host}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    const before = residentMb();
    const sockets = Array.from({ length: 20 }, () => {
      const socket: Socket = connect(Number(port), hostname);
      socket.pause();
      socket.write(`${request.join("\r\n")}\r\n\r\n`);
      return socket;
    });
    let peak = 0;
    for (let tick = 0; tick < 12; tick++) {
      await pause(250);
      peak = Math.max(peak, residentMb());
    }
    for (const socket of sockets) socket.destroy();
    // Each copy of the log would be 11 MB.
    expect(peak - before).toBeLessThan(160);
  });
});
