import { fromRecorded } from "../base/recorded.ts";
import type { JsonValue } from "../base/json.ts";
import type { Activity } from "../journal/activity.ts";
import type { Journal } from "../journal/journal.ts";
import type { WaitRequest } from "../journal/journal-store.ts";
import { joinKey } from "../journal/step-key.ts";
import { WaitsTogether } from "../journal/waits-together.ts";
import {
  childRunId,
  type ChildAnswers,
  type ChildOpening,
  type ChildPort,
  type ChildRequest,
} from "./child-port.ts";

/** The place that waits for child runs. */
type Place = {
  readonly journal: Journal;
  readonly port: ChildPort;
  readonly activity: Activity;
  readonly path: string;
};

/** Opens child runs, and parks until each has reported: see `RunScope.children`. */
export function openChildren<T extends JsonValue>(
  requests: readonly ChildRequest[],
  { journal, port, activity, path }: Place,
): ReadonlyArray<ChildAnswers<T>> {
  const planned = requests.map((request) => {
    const keys = request.at.map((segment) => joinKey(path, segment));
    return { request, keys, runId: childRunId(journal.runId, keys[0] ?? path) };
  });
  const count = planned.reduce((sum, { keys }) => sum + keys.length, 0);
  const together = new WaitsTogether(count, (rows) => {
    const opened = new Set(rows.map((row) => row.key));
    const openings = planned.flatMap(({ request, keys, runId }): ChildOpening[] => {
      const open = keys.filter((key) => opened.has(key));
      const at = request.at.filter((_, index) => opened.has(keys[index] ?? ""));
      const { answer, maxOutputLength } = request;
      if (open.length === 0) return [];
      return [{ runId, keys: open, answer, maxOutputLength, start: request.start(at) }];
    });
    port.open(openings, rows);
  });
  return planned.map(({ request, keys, runId }) => {
    const wait: WaitRequest = {
      kind: "child",
      runId,
      ...(request.join === undefined ? undefined : { join: request.join }),
      ...(request.dueAtMs === undefined ? undefined : { dueAtMs: request.dueAtMs }),
    };
    const answers = keys.map((key) => {
      const answer = journal.wait<JsonValue>(activity, key, { request: wait, together });
      const restored = answer.then((output) => fromRecorded(output) as T);
      restored.catch(() => undefined); // the caller may await another answer first
      return restored;
    });
    return { runId, answers };
  });
}
