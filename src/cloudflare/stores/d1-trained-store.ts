import {
  qualityOf,
  type TrainedStore,
  type Training,
  type TrainingSummary,
} from "../../crew/actions/training.ts";
import { onDatabase } from "../d1.ts";
import { D1TimedStore } from "./d1-tenant-store.ts";

type TrainingRow = {
  readonly name: string;
  readonly agents: string;
  readonly updated_at: number;
};

/** A tenant's trainings in D1. */
export class D1TrainedStore extends D1TimedStore implements TrainedStore {
  get(name: string): Promise<Training | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare("SELECT agents FROM trainings WHERE tenant = ? AND name = ?")
        .bind(this.tenant, name)
        .first()) as { readonly agents: string } | null;
      return row === null
        ? undefined
        : { name, agents: JSON.parse(row.agents) as Training["agents"] };
    });
  }

  put({ name, agents }: Training): Promise<void> {
    return onDatabase(async () => {
      await this.db
        .prepare(
          "INSERT OR REPLACE INTO trainings (tenant, name, agents, updated_at) VALUES (?, ?, ?, ?)",
        )
        .bind(this.tenant, name, JSON.stringify(agents), this.clock.now())
        .run();
    });
  }

  list({
    after = "",
    limit,
  }: {
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly TrainingSummary[]> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          "SELECT name, agents, updated_at FROM trainings WHERE tenant = ? AND name > ? ORDER BY name LIMIT ?",
        )
        .bind(this.tenant, after, limit)
        .all();
      return (results as readonly TrainingRow[]).map(
        ({ name, agents, updated_at: updatedAtMs }) => {
          const quality = qualityOf(JSON.parse(agents) as Training["agents"]);
          return { name, quality, updatedAtMs };
        },
      );
    });
  }

  delete(name: string): Promise<boolean> {
    return onDatabase(async () => {
      const statement = this.db.prepare("DELETE FROM trainings WHERE tenant = ? AND name = ?");
      return (await statement.bind(this.tenant, name).run()).meta.changes > 0;
    });
  }
}
