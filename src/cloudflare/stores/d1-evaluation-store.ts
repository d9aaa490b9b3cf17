import type { JsonValue } from "../../base/json.ts";
import type {
  EvaluationCursor,
  EvaluationStore,
  StoredEvaluation,
} from "../../crew/actions/evaluation-store.ts";
import { onDatabase } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

type Row = {
  readonly run_id: string;
  readonly crew: string;
  readonly eval_model: string;
  readonly report: string;
  readonly created_at: number;
};

/** A tenant's test results in D1. */
export class D1EvaluationStore extends D1TenantStore implements EvaluationStore {
  put({ runId, crew, evalModel, report, createdAtMs }: StoredEvaluation): Promise<void> {
    return onDatabase(async () => {
      await this.db
        .prepare(
          "INSERT OR REPLACE INTO evaluations (tenant, run_id, crew, eval_model, report, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(this.tenant, runId, crew, evalModel, JSON.stringify(report), createdAtMs)
        .run();
    });
  }

  list(
    crew: string,
    { after, limit }: { readonly after?: EvaluationCursor | undefined; readonly limit: number },
  ): Promise<readonly StoredEvaluation[]> {
    const place = after === undefined ? [] : [after.createdAtMs, after.runId];
    const rest = after === undefined ? "" : "AND (created_at, run_id) < (?, ?)";
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          `SELECT run_id, crew, eval_model, report, created_at FROM evaluations WHERE tenant = ? AND crew = ? ${rest} ORDER BY created_at DESC, run_id DESC LIMIT ?`,
        )
        .bind(this.tenant, crew, ...place, limit)
        .all();
      return results.map((row) => toStored(row as Row));
    });
  }
}

function toStored({ run_id, crew, eval_model, report, created_at }: Row): StoredEvaluation {
  return {
    runId: run_id,
    crew,
    evalModel: eval_model,
    report: JSON.parse(report) as JsonValue,
    createdAtMs: created_at,
  };
}
