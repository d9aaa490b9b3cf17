// Lists of tasks: A2A 1.0 section 3.1.4.
import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError } from "../../base/error.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import type { ThreadRunQuery, ThreadStore } from "../thread-store.ts";
import { A2AError } from "./errors.ts";
import type { ParamsOf, TaskPage, WireState } from "./schema.ts";
import type { A2ACall, TaskRecords } from "./task-records.ts";

const PAGE_SIZE = 20;
/** Number of runs queried at once. */
const WIDTH = 5;
/** The index may be updated a moment before the event of a change. */
const CLOCK_GRAIN_MS = 1_000;

/** Filter of the index for each state. */
const ROWS: Readonly<Record<WireState, Pick<ThreadRunQuery, "statuses" | "isAsking" | "label">>> = {
  TASK_STATE_SUBMITTED: { statuses: ["queued"] },
  TASK_STATE_WORKING: { statuses: ["running", "waiting"] },
  TASK_STATE_INPUT_REQUIRED: { statuses: ["waiting"], isAsking: true },
  TASK_STATE_AUTH_REQUIRED: { statuses: ["waiting"], isAsking: true },
  TASK_STATE_COMPLETED: { statuses: ["completed"], label: null },
  TASK_STATE_REJECTED: { statuses: ["completed"], label: "TASK_STATE_REJECTED" },
  TASK_STATE_FAILED: { statuses: ["failed"] },
  TASK_STATE_CANCELED: { statuses: ["cancelled"] },
};

/** Lists a page of an agent's tasks, the latest change first. */
export async function listTasks(
  call: A2ACall,
  params: ParamsOf<"ListTasks">,
  { threads, records }: { readonly threads: ThreadStore; readonly records: TaskRecords },
): Promise<TaskPage> {
  const { tenant } = call.caller;
  const { kind, name } = call.exposed;
  const { contextId, pageSize = PAGE_SIZE, statusTimestampAfter, includeArtifacts } = params;
  const { historyLength = 0 } = params;
  const state = params.status === "TASK_STATE_UNSPECIFIED" ? undefined : params.status;
  const { items, total } = await threads.list(tenant, {
    protocol: "a2a",
    subject: { kind, name },
    threadId: contextId === "" ? undefined : contextId,
    ...(state === undefined ? undefined : ROWS[state]),
    updatedSinceMs:
      statusTimestampAfter === undefined ? undefined : statusTimestampAfter - CLOCK_GRAIN_MS,
    after: afterOf(params.pageToken),
    limit: pageSize + 1,
  });
  const page = items.slice(0, pageSize);
  const found = await mapAtMost(page, WIDTH, async (row) => {
    try {
      const source = await records.source(tenant, row);
      return [
        await records.task(tenant, source, {
          historyLength,
          includeArtifacts: includeArtifacts === true,
        }),
      ];
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return [];
      throw error;
    }
  });
  // Runs are newer than the index: tasks show the present state, and tasks that no longer fit are left out.
  const tasks = found
    .flat()
    .filter(({ status }) => state === undefined || status.state === state)
    .filter(({ status }) => Date.parse(status.timestamp ?? "") >= (statusTimestampAfter ?? 0))
    .toSorted((a, b) => ((a.status.timestamp ?? "") < (b.status.timestamp ?? "") ? 1 : -1));
  const last = page.at(-1);
  return {
    tasks,
    nextPageToken:
      items.length > page.length && last !== undefined
        ? cursorAfter(`${last.updatedAtMs}:${last.runId}`)
        : "",
    pageSize,
    totalSize: total,
  };
}

function afterOf(token: string | undefined): ThreadRunQuery["after"] {
  if (token === undefined || token === "") return undefined;
  const [, at, runId] = /^(\d+):(.+)$/s.exec(keyOfCursor(token) ?? "") ?? [];
  if (at === undefined || runId === undefined)
    throw new A2AError("InvalidParams", "pageToken must be the nextPageToken of an earlier answer");
  return { updatedAtMs: Number(at), runId };
}
