// What a client of durable mode waits for: the first call of the model, its first word, and what readers of events cost a run.
import { median, now, post, row, type DurableBed } from "./durable-bed.ts";
import { workerdCpuMs } from "./process-cpu.ts";

const READERS = 200;
/** Turns at the end of a run that is read: by then all readers are there. */
const LAST = 15;

/** From the request that starts something to the first request that the model gets. */
export async function firstCall(bed: DurableBed, count: number): Promise<void> {
  const measure = async (start: () => Promise<Response>): Promise<number> => {
    const startedAt = now();
    await (await start()).arrayBuffer();
    return (await bed.times()).cameAt - startedAt;
  };
  const samples: number[][] = [[], []];
  for (let round = -10; round < count; round++)
    for (const [at, start] of [
      () => bed.get("/floor?rounds=0"),
      () => bed.kickoff("rounds-0"),
    ].entries()) {
      const ms = await measure(start);
      if (round >= 0) samples[at]?.push(ms);
    }
  const [floorMs, crewMs] = [median(samples[0]), median(samples[1])];
  row("the first call", [floorMs, crewMs, crewMs - floorMs], "run: at most 12 at rest");
}

/** From the first word that leaves the model to its arrival at the client. */
export async function firstToken(bed: DurableBed, count: number): Promise<void> {
  const measure = async (start: () => Promise<Response>): Promise<number> => {
    const response = await start();
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let heardAt: number | undefined;
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      if (heardAt === undefined && text.includes("word0")) heardAt = now();
    }
    if (heardAt === undefined) throw new Error(`no word came: ${text.slice(0, 1000)}`);
    return heardAt - (await bed.times()).spokeAt;
  };
  const samples: number[][] = [[], []];
  const headers = { accept: "text/event-stream" };
  for (let round = -5; round < count; round++)
    for (const [at, start] of [
      () => bed.get("/relay"),
      () => bed.send("/agents/speaker/kickoff", { messages: "Speak" }, headers),
    ].entries()) {
      const ms = await measure(start);
      if (round >= 0) samples[at]?.push(ms);
    }
  const [relayMs, agentMs] = [median(samples[0]), median(samples[1])];
  row("the first word", [relayMs, agentMs, agentMs - relayMs], "run: at most 3");
}

/**
 * A run of fifty turns alone, with readers of its end, and with readers of all its events. Its last turns, in which all are there,
 * and CPU of the whole.
 */
export async function readers(bed: DurableBed): Promise<void> {
  console.log(`${READERS} readers, ms             nobody    of the end     of all`);
  const walls: number[][] = [[], [], []];
  const cpus: number[][] = [[], [], []];
  for (let repetition = -1; repetition < 3; repetition++)
    for (const [at, query] of [undefined, "?types=run_completed", ""].entries()) {
      const before = workerdCpuMs(bed.dev.pid);
      const started = await fetch(`${bed.url}/crews/rounds-50-slow/kickoff`, post({}));
      const { id } = (await started.json()) as { id: string };
      const count = query === undefined ? 0 : READERS;
      const read = Array.from({ length: count }, () => eventsOf(bed, `${id}/events${query}`));
      await bed.settled(id);
      const seen = new Set(await Promise.all(read));
      if (seen.size > 1) throw new Error(`readers saw ${[...seen].join(", ")} events`);
      if (repetition < 0) continue;
      cpus[at]?.push(workerdCpuMs(bed.dev.pid) - before);
      walls[at]?.push(await lastTurnsMs(bed, id));
    }
  row(`the last ${LAST} turns`, walls.map(median), "of all as of nobody");
  row("CPU", cpus.map(median));
  const [nobodyMs = 0, endMs = 0, allMs = 0] = cpus.map(median);
  const bareMs = [await bareReadersMs(bed, 1), await bareReadersMs(bed, 13)] as const;
  row("CPU of a reader", [0, (endMs - nobodyMs) / READERS, (allMs - nobodyMs) / READERS]);
  row("with no run behind", [0, ...bareMs]);
}

/** CPU for each of as many readers of an object that only sends pieces, as long and as much in all as a run of fifty turns does. */
async function bareReadersMs(bed: DurableBed, pieces: number): Promise<number> {
  const [ms, bytes] = [2600, pieces === 1 ? 800 : 110_000];
  const query = `pieces=${pieces}&every=${Math.round(ms / pieces)}&bytes=${Math.round(bytes / pieces)}`;
  const samples: number[] = [];
  for (let repetition = -1; repetition < 3; repetition++) {
    const before = workerdCpuMs(bed.dev.pid);
    const read = Array.from({ length: READERS }, async () =>
      (await bed.get(`/bare-stream?${query}`)).text(),
    );
    await Promise.all(read);
    if (repetition >= 0) samples.push((workerdCpuMs(bed.dev.pid) - before) / READERS);
  }
  return median(samples);
}

/** Between two calls of the model, late in the run. */
async function lastTurnsMs(bed: DurableBed, id: string): Promise<number> {
  const types = "types=llm_call_started&limit=500";
  const page = await fetch(`${bed.url}/runs/${id}/events?${types}`, {
    headers: { accept: "application/json" },
  });
  const { items } = (await page.json()) as { items: Array<{ at: string }> };
  const [first, last] = [items.at(-LAST - 1), items.at(-1)].map((event) => event?.at ?? "");
  return Date.parse(last ?? "") - Date.parse(first ?? "");
}

/** How many events a reader gets. */
async function eventsOf(bed: DurableBed, path: string): Promise<number> {
  const text = await (await bed.get(`/runs/${path}`)).text();
  return text.split("\nevent: ").length;
}
