// Runs that are followed over a bad network: real sockets, cut in the middle of whatever they carry.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createClient, type ClientOptions } from "../../src/client/index.ts";
import { BadNetwork } from "../support/bad-network.ts";
import { randomEvents, seededRandom, UnreliableServer } from "../support/random-events.ts";

const RUNS = 1_000;
const AT_ONCE = 25;
const FAULTS = { doubles: 0.2, swaps: 0.15, gaps: 0.1, cuts: 0.3, refusals: 0.05 };

/** Pauses between attempts are short; the limits of silence are what they are. */
const clock: NonNullable<ClientOptions["clock"]> = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs > 20_000 ? delayMs : delayMs / 500);
    return () => clearTimeout(timer);
  },
};

it("every stored event arrives once and in order, in 1,000 runs over broken, slow and irregular sockets (CC2)", async () => {
  const runs = Array.from({ length: RUNS }, (_, seed) => {
    const random = seededRandom(seed);
    const events = randomEvents(random, `run-${seed}`);
    return { events, server: new UnreliableServer(events, random, FAULTS) };
  });
  const server = createServer((request, response) => {
    const { headers, url = "" } = request;
    const run = runs[Number(/^\/runs\/run-(\d+)\//.exec(url)?.[1])];
    void (async () => {
      const answer = await run?.server.fetch(`http://crews.test${url}`, {
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      });
      if (answer === undefined) {
        response.destroy();
        return;
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const network = await BadNetwork.to((server.address() as AddressInfo).port, {
    random: seededRandom(7),
    cuts: { chance: 0.6, maxBytes: 8_000 },
  });
  const client = createClient({ url: network.url, clock, webSocket: null });
  let lost = 0;
  const follow = async (seed: number): Promise<void> => {
    const seqs: number[] = [];
    const onConnection = (state: string): void => void (lost += state === "retrying" ? 1 : 0);
    for await (const event of client.runs.handle(`run-${seed}`).events({ onConnection }))
      if ("seq" in event) seqs.push(event.seq);
    const kept = runs[seed]?.events.flatMap((event) => ("seq" in event ? event.seq : []));
    expect([seed, ...seqs]).toEqual([seed, ...(kept ?? [])]);
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < RUNS) await follow(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(lost).toBeGreaterThan(200);
  await network.stop();
  server.closeAllConnections();
  server.close();
}, 240_000);
