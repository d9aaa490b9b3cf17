import { randomUUID } from "node:crypto";
import type { Kind } from "./kind.ts";
import { passageOf } from "./people.ts";

type Message = { readonly name?: string; readonly content?: unknown };

/** A conversation of a Worker, whose messages are read over HTTP. */
export const kind: Kind = {
  name: "talk",
  reasons: [],
  hasWorker: true,
  async run(bench) {
    const worker = await bench.worker();
    const id = randomUUID();
    await worker.post("/conversations/talk/kickoff", { id, message: passageOf(bench).text });
    const run = await worker.ended(id);
    if (run.status !== "completed") throw new Error(JSON.stringify(run.error));
    const { items } = await worker.get<{ items: readonly Message[] }>(`/runs/${id}/messages`);
    const names = items.map(({ name }) => name).join(" ");
    if (!/writer critic/.test(names)) throw new Error(`speakers: ${names}`);
    return run.output;
  },
};
