import type { Page } from "../runtime/run-directory.ts";
import type { ScheduleDetails, ScheduleView } from "../triggers/schedules.ts";
import type { ChangeScheduleBody, CreateScheduleBody } from "../triggers/schemas.ts";
import type { TriggeredRun } from "../triggers/triggered-run.ts";
import { clientId } from "./client-id.ts";
import type { PageOptions } from "./page-options.ts";
import { RemoteRun } from "./remote-run.ts";
import type { Transport } from "./transport.ts";

/** Cron schedules of a Worker with `triggers`. */
export class SchedulesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(page: PageOptions = {}): Promise<Page<ScheduleView>> {
    return this.#transport.json("/schedules", { query: { ...page } });
  }

  /** Returns a schedule with its next times and its latest runs. */
  get(id: string): Promise<ScheduleDetails> {
    return this.#transport.json(schedulePath(id));
  }

  create(schedule: CreateScheduleBody): Promise<ScheduleDetails> {
    return this.#transport.json("/schedules", { method: "POST", json: schedule });
  }

  /** Changes the fields present in `changes`. */
  change(id: string, changes: ChangeScheduleBody): Promise<ScheduleDetails> {
    return this.#transport.json(schedulePath(id), { method: "PATCH", json: changes });
  }

  pause(id: string): Promise<ScheduleDetails> {
    return this.change(id, { paused: true });
  }

  /** Resumes a schedule. Slots during the pause are skipped. */
  unpause(id: string): Promise<ScheduleDetails> {
    return this.change(id, { paused: false });
  }

  async delete(id: string): Promise<void> {
    await this.#transport.send(schedulePath(id), { method: "DELETE" });
  }

  /** Starts a run now, in addition to the scheduled ones. */
  async run(id: string, options: { readonly id?: string } = {}): Promise<RemoteRun> {
    const json = { id: options.id ?? clientId() };
    const path = `${schedulePath(id)}/run`;
    const run = await this.#transport.json<TriggeredRun>(path, { method: "POST", json });
    return new RemoteRun(this.#transport, run);
  }
}

function schedulePath(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}
