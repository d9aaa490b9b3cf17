// Memory of clients that open a run's events and read nothing.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { eventStream } from "../../../../src/cloudflare/runs/event-stream.ts";
import { heldPages, MAX_PIECE_BYTES } from "../../../../src/cloudflare/runs/shared-pages.ts";
import { RunWorld } from "../../../support/run-world.ts";

const READERS = 400;
const MIB = 1024 * 1024;
const OPTIONS = { after: 0, types: undefined };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function usedBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A run with a log of 2 MB, whose events are parsed at each read as those of an object are. */
async function runWithLog(texts: readonly string[]) {
  const world = new RunWorld(async (scope) => {
    for (const [index, text] of texts.entries()) scope.emit("run_resumed", { text }, index);
    return null;
  });
  await world.begin();
  const { reader, events } = world.host;
  const read = reader.events.bind(reader);
  reader.events = (...place) => {
    let length = 0;
    const [, , maxLength = Number.POSITIVE_INFINITY] = place;
    return read(...place)
      .map((event) => JSON.stringify(event))
      .filter((text, index) => (length += text.length) <= maxLength || index === 0)
      .map((text) => JSON.parse(text) as ReturnType<typeof read>[number]);
  };
  return { host: { reader, events } };
}

const LARGE = Array.from({ length: 2 }, (_, index) => `${index}`.repeat(MIB));
const SMALL = Array.from({ length: 160 }, (_, index) => `${index % 10}`.repeat(13_000));

it.each([
  ["two large events", LARGE, 3],
  ["many small events", SMALL, 20],
])(
  "SHP1, SHP2, SHP3: 400 idle readers of 2 MB in %s add less than 40 MB",
  async (_, texts, pieces) => {
    const { host } = await runWithLog(texts);
    const before = usedBytes();
    const readers: Array<ReadableStreamDefaultReader<Uint8Array> | undefined> = [];
    for (let index = 0; index < READERS; index++) {
      const { body } = await eventStream(host, OPTIONS);
      const reader = body?.getReader();
      for (let taken = 0; taken < pieces; taken++) {
        const { value } = (await reader?.read()) ?? {};
        expect(value?.length ?? 0).toBeLessThanOrEqual(MAX_PIECE_BYTES);
      }
      readers.push(reader);
    }
    const addedMiB = (usedBytes() - before) / MIB;
    expect(addedMiB).toBeLessThan(40);
    for (const reader of readers) await reader?.cancel();
    expect(heldPages(host.events)).toBe(0);
  },
);

it("SHP3: pieces are the whole stream, in order, with each event once", async () => {
  const { host } = await runWithLog([...LARGE, ...SMALL, "käse ☕"]);
  const { body } = await eventStream(host, OPTIONS);
  const text = await new Response(body).text();
  const seqs = Array.from(text.matchAll(/^id: (\d+)$/gm), ([, seq]) => Number(seq));
  expect(seqs).toEqual(seqs.map((__, index) => index + 1));
  const data = Array.from(
    text.matchAll(/^data: (.*)$/gm),
    ([, line = ""]) => JSON.parse(line) as object,
  );
  expect(data).toHaveLength(seqs.length);
  expect(JSON.stringify(data)).toContain("käse ☕");
  expect(heldPages(host.events)).toBe(0);
});
