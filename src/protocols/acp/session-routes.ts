// Named sessions: `/api/acp/sessions`.
import { isoTime } from "../../base/clock.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import { preview } from "../../base/json.ts";
import type { Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { newId } from "./agent-client.ts";
import type { AcpSettings } from "./options.ts";
import { Refusal } from "./refusal.ts";
import { routesOf } from "./routes.ts";
import { taskView } from "./run-codec.ts";
import { acpBodies, MAX_SCOPE_LENGTH, MAX_SESSION_NAME_LENGTH, acpAnswerShape } from "./shapes.ts";
import type { StoredSession } from "./store.ts";
import type { TaskDesk } from "./tasks.ts";

/** Number of newest tasks in a session's view. */
const SHOWN_TASKS = 50;
const TASKS_AT_ONCE = 5;

export function sessionRoutes(
  host: PartHost,
  { strict }: AcpSettings,
  desk: TaskDesk,
): readonly Operation[] {
  const route = routesOf(host, "Agent communication");
  const bodies = acpBodies(strict);
  const { sessions, tasks } = desk.store;
  const one = { shape: acpAnswerShape, refuses: [404] } as const;

  return [
    route(
      {
        id: "acpCreateSession",
        method: "post",
        path: "/api/acp/sessions",
        scope: "run",
        summary: "Create a session",
        shape: acpAnswerShape,
        status: 201,
        refuses: [409],
        body: {
          name: "AcpNewSession",
          schema: bodies.AcpNewSession,
          example: { name: "review" },
        },
      },
      async ({ tenant, read }) => {
        const { name, repoScope } = await read();
        if (typeof name !== "string" || name === "")
          throw new Refusal(400, "name (string) is required");
        if (name.length > MAX_SESSION_NAME_LENGTH)
          throw new Refusal(400, `name must be ${MAX_SESSION_NAME_LENGTH} characters or fewer`);
        const isScope = typeof repoScope === "string" && repoScope.length <= MAX_SCOPE_LENGTH;
        if (strict && repoScope !== undefined && repoScope !== null && !isScope)
          throw new Refusal(
            400,
            `repoScope must be a string of at most ${MAX_SCOPE_LENGTH} characters, got ${preview(repoScope)}`,
          );
        const nowMs = host.clock.now();
        const session: StoredSession = {
          tenant,
          name,
          id: newId("session", nowMs),
          ...(isScope && repoScope !== "" ? { repoScope } : undefined),
          closed: false,
          createdAtMs: nowMs,
          lastActiveMs: nowMs,
        };
        if (!(await sessions.add(session)))
          throw new Refusal(409, `Session already exists: ${name}`);
        return { json: { ...viewOf(session), taskCount: 0 } };
      },
    ),
    route(
      {
        id: "acpSessions",
        method: "get",
        path: "/api/acp/sessions",
        scope: "read",
        summary: "List sessions",
        shape: acpAnswerShape,
      },
      async ({ tenant }) => {
        const all = await sessions.list(tenant);
        const shown = all.map(({ taskCount, ...session }) => ({ ...viewOf(session), taskCount }));
        return { json: { sessions: shown } };
      },
    ),
    route(
      {
        ...one,
        id: "acpSession",
        method: "get",
        path: "/api/acp/sessions/{name}",
        scope: "read",
        summary: "Show a session and its newest tasks",
      },
      async ({ tenant, params }) => {
        const session = await find(tenant, params);
        const found = await tasks.ofSession(tenant, session.id, { limit: SHOWN_TASKS });
        const shown = await mapAtMost(found, TASKS_AT_ONCE, async (each) => {
          const { task, run } = await desk.refresh(each);
          const { id, status, result, artifacts } = taskView(task, { run });
          return { id, status, result, artifacts, metadata: task.metadata };
        });
        return { json: { ...viewOf(session), tasks: shown } };
      },
    ),
    route(
      {
        ...one,
        id: "acpDeleteSession",
        method: "delete",
        path: "/api/acp/sessions/{name}",
        scope: "run",
        summary: "Delete a session",
        description: "Its active task continues, and queued tasks are dropped.",
      },
      async ({ tenant, params }) => {
        const { name } = await find(tenant, params);
        const message = "The session was deleted";
        const timestamp = host.clock.now();
        await sessions.delete(tenant, name, { status: "canceled", message, timestamp });
        return { json: { deleted: true, name } };
      },
    ),
    route(
      {
        ...one,
        id: "acpCancelSession",
        method: "post",
        path: "/api/acp/sessions/{name}/cancel",
        scope: "run",
        summary: "Cancel a session's active and queued tasks",
      },
      async ({ tenant, params }) => {
        const { id } = await find(tenant, params);
        const { canceledTaskId, dropped } = await desk.cancelSession(tenant, id);
        return { json: { canceled: true, canceledTaskId, droppedFromQueue: dropped } };
      },
    ),
    route(
      {
        ...one,
        id: "acpCloseSession",
        method: "post",
        path: "/api/acp/sessions/{name}/close",
        scope: "run",
        summary: "Close a session",
        description: "Active and queued tasks continue; new messages are refused.",
      },
      async ({ tenant, params }) => {
        const { name, id } = await find(tenant, params);
        await sessions.close(tenant, name, host.clock.now());
        const active = await tasks.active(tenant, id);
        if (active !== undefined) await desk.refresh(active);
        const activeTaskId = (await tasks.active(tenant, id))?.id ?? null;
        const queuedPrompts = await tasks.queued(tenant, id);
        return { json: { closed: true, name, activeTaskId, queuedPrompts } };
      },
    ),
  ];

  async function find(
    tenant: string,
    { name = "" }: Readonly<Record<string, string>>,
  ): Promise<StoredSession> {
    const session = await sessions.get(tenant, { name });
    if (session !== undefined) return session;
    throw new Refusal(404, `Session not found: ${name}`);
  }
}

function viewOf({ id, name, repoScope, createdAtMs, lastActiveMs }: StoredSession): object {
  const times = { createdAt: isoTime(createdAtMs), lastActive: isoTime(lastActiveMs) };
  return { id, name, ...(repoScope === undefined ? undefined : { repoScope }), ...times };
}
