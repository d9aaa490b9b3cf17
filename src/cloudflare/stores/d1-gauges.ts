import type { Gauge, Gauges } from "../../metrics/gauges.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";

/** Gauges over the runs of all tenants, in D1. Each query reads only open runs. */
export class D1Gauges implements Gauges {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  read(nowMs: number): Promise<readonly Gauge[]> {
    return onDatabase(async () => {
      const [open, waits, held, overdue, queued, swept] = await this.#db.batch([
        this.#db.prepare(
          "SELECT status, COUNT(*) AS n FROM runs WHERE lease_until IS NOT NULL GROUP BY status ORDER BY status",
        ),
        this.#db.prepare("SELECT COUNT(*) AS n FROM waits"),
        this.#db.prepare("SELECT COUNT(*) AS n FROM runs WHERE held_version IS NOT NULL"),
        this.#db.prepare("SELECT COUNT(*) AS n FROM runs WHERE lease_until < ?").bind(nowMs),
        this.#db.prepare(
          "SELECT MIN(created_at) AS n FROM runs WHERE lease_until IS NOT NULL AND status = 'queued'",
        ),
        this.#db.prepare("SELECT last_at AS n FROM sweeper"),
      ]);
      const ageSeconds = (atMs: number | null): number =>
        atMs === null ? 0 : Math.max(0, (nowMs - atMs) / 1000);
      const sweptMs = one(swept);
      const statuses = (open?.results ?? []) as ReadonlyArray<{ status: string; n: number }>;
      return [
        {
          name: "edgecrew_runs_active",
          about: "Runs that have something to do or a time to come back at.",
          values: ["queued", "running", "waiting"].map((status) => ({
            labels: { status },
            value: statuses.find((row) => row.status === status)?.n ?? 0,
          })),
        },
        gauge("edgecrew_waits_open", "Questions to people and programs outside.", one(waits) ?? 0),
        gauge("edgecrew_runs_held", "Runs that the code does not fit.", one(held) ?? 0),
        gauge("edgecrew_runs_overdue", "Runs with an overdue status report.", one(overdue) ?? 0),
        gauge(
          "edgecrew_oldest_queued_seconds",
          "Longest wait of a run for its start.",
          ageSeconds(one(queued)),
        ),
        ...(sweptMs === null
          ? []
          : [gauge("edgecrew_cron_age_seconds", "Since the cron came.", ageSeconds(sweptMs))]),
      ];
    });
  }
}

type Answer = { readonly results: readonly unknown[] };

function one(rows: Answer | undefined): number | null {
  return ((rows?.results[0] ?? { n: null }) as { readonly n: number | null }).n;
}

function gauge(name: string, about: string, value: number): Gauge {
  return { name, about, values: [{ value }] };
}
