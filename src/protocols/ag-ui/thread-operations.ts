// Threads over HTTP, for pages without a stream.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import { cancelThread } from "./continuation.ts";
import { type ThreadRuns } from "./earlier-waits.ts";
import { agUiCancelledShape, agUiThreadShape } from "./schema.ts";
import type { ShowState } from "./shared-state.ts";
import { shownThread } from "./thread.ts";

/** Finds a thread of an exposed subject. Fails with `not_found` for other subjects. */
type ThreadPort = {
  readonly threadOf: (
    tenant: string,
    name: string,
    threadId: string,
  ) => Promise<ThreadRuns & { readonly show: ShowState }>;
};

export function threadOperations({ threadOf }: ThreadPort): readonly Operation[] {
  const group = "AG-UI";
  return [
    operation({
      group,
      id: "getAgUiThread",
      method: "get",
      path: "/ag-ui/{name}/threads/{threadId}",
      scope: "read",
      summary: "Show a thread",
      description: "Messages, state and open waits of the thread.",
      answers: { 200: { description: "The thread", shape: agUiThreadShape } },
      problems: [404],
      sample: { needs: "a thread" },
      handle: async ({ tenant, params: { name = "", threadId = "" } }) => {
        const thread = await threadOf(tenant, name, threadId);
        const shown = await shownThread(thread, thread.show);
        if (shown === undefined)
          throw new EngineError(
            "not_found",
            `${thread.exposed.publicName} has no thread ${preview(threadId)}`,
          );
        return { status: 200, json: shown };
      },
    }),
    operation({
      group,
      id: "cancelAgUiThread",
      method: "post",
      path: "/ag-ui/{name}/threads/{threadId}/cancel",
      scope: "run",
      summary: "Stop a thread",
      description: "Cancels the unfinished runs of the thread, as for the stop button of a chat.",
      answers: { 200: { description: "The number of cancelled runs", shape: agUiCancelledShape } },
      problems: [404],
      sample: { needs: "a thread" },
      handle: async ({ tenant, params: { name = "", threadId = "" } }) => {
        const cancelled = await cancelThread(await threadOf(tenant, name, threadId));
        return { status: 200, json: { cancelled } };
      },
    }),
  ];
}
