import type { Clock } from "../../base/clock.ts";
import type { TrainedStore, Training } from "../../crew/actions/training.ts";
import { onDatabase, type Database } from "../d1.ts";

/** A tenant's trainings in D1. */
export class D1TrainedStore implements TrainedStore {
  readonly #db: Database;
  readonly #tenant: string;
  readonly #clock: Clock;

  constructor(db: Database, tenant: string, clock: Clock) {
    this.#db = db;
    this.#tenant = tenant;
    this.#clock = clock;
  }

  get(name: string): Promise<Training | undefined> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare("SELECT agents FROM trainings WHERE tenant = ? AND name = ?")
        .bind(this.#tenant, name)
        .first()) as { readonly agents: string } | null;
      return row === null
        ? undefined
        : { name, agents: JSON.parse(row.agents) as Training["agents"] };
    });
  }

  put({ name, agents }: Training): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "INSERT OR REPLACE INTO trainings (tenant, name, agents, updated_at) VALUES (?, ?, ?, ?)",
        )
        .bind(this.#tenant, name, JSON.stringify(agents), this.#clock.now())
        .run();
    });
  }

  delete(name: string): Promise<boolean> {
    return onDatabase(async () => {
      const statement = this.#db.prepare("DELETE FROM trainings WHERE tenant = ? AND name = ?");
      return (await statement.bind(this.#tenant, name).run()).meta.changes > 0;
    });
  }
}
