import { Hono } from "hono/tiny";
import { isoTime } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { EvaluationCursor, StoredEvaluation } from "../crew/evaluation-store.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";
import { enterCrew } from "./enter-crew.ts";
import { invalidInput } from "./problem.ts";
import { query } from "./query.ts";
import { body } from "./request-body.ts";
import { pageQuery, testBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

/** The result of a test as the API shows it. */
export type EvaluationView = Omit<StoredEvaluation, "createdAtMs" | "crew"> & {
  readonly report: JsonValue;
  readonly createdAt: string;
};

export const evaluations = new Hono<HttpEnv>()
  .post("/:name/test", allow("run"), body(testBody), async (c) => {
    const { iterations, evalModel, ...rest } = c.req.valid("json");
    return enterCrew(c, rest, () => ({
      action: "test",
      iterations,
      evalModel: evalModel as ModelSpec | undefined,
    }));
  })
  .get("/:name/evaluations", allow("read"), query(pageQuery), async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const after = placeOf(keyOfCursor(cursor));
    const store = c.var.services.evaluations(c.var.caller.tenant);
    const found = await store.list(c.req.param("name"), { after, limit: limit + 1 });
    const items = found
      .slice(0, limit)
      .map(({ runId, evalModel, report, createdAtMs }): EvaluationView => {
        return { runId, evalModel, report, createdAt: isoTime(createdAtMs) };
      });
    const last = found[limit - 1];
    if (found.length <= limit || last === undefined) return c.json<Page<EvaluationView>>({ items });
    const nextCursor = cursorAfter(`${last.createdAtMs}:${last.runId}`);
    return c.json<Page<EvaluationView>>({ items, nextCursor });
  });

function placeOf(key: string | undefined): EvaluationCursor | undefined {
  if (key === undefined) return undefined;
  const [, time, runId] = /^(\d+):(.+)$/.exec(key) ?? [];
  if (time !== undefined && runId !== undefined) return { createdAtMs: Number(time), runId };
  throw invalidInput("the query does not fit", [
    { path: "/cursor", message: "expected a nextCursor from an earlier answer" },
  ]);
}
