import { kickoffOf } from "../doors/http-door.ts";
import { StatedFailure } from "../doors/door.ts";
import type { Kind } from "./kind.ts";
import { passageOf } from "./people.ts";

const KILLED_AFTER_MS = [300, 800, 1_500] as const;

/** workerd is killed in the middle of a crew, and started again. A call that it cut off is made once more. */
export const kind: Kind = {
  name: "worker-restart",
  reasons: [],
  hasWorker: true,
  async run(bench) {
    const worker = await bench.worker();
    const { text } = passageOf(bench);
    const { path, body } = kickoffOf({ subject: "crew/pair", name: "pair", text });
    const started = await worker.post(path, body);
    const { id } = (await started.json()) as { readonly id: string };
    const afterMs = bench.random.pick(KILLED_AFTER_MS);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await bench.server.busyWith(worker.restart());
    const run = await worker.ended(id);
    if (run.error !== undefined) throw new StatedFailure(run.error);
    return run.output;
  },
};
