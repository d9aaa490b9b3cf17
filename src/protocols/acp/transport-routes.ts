// Messages to agents, and their tasks: `/api/acp/send`, `/agents`, `/request`, `/tasks/:id`.
import { preview, type JsonObject } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { ExampleSubject, Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { mayRead } from "../../parts/rights.ts";
import { idempotencyKey, keyedRunId } from "../../parts/started-run.ts";
import { newId } from "./agent-client.ts";
import { cardOf, type CardPlace } from "./cards.ts";
import { idIn, readMessage, readTexts, TASK_ID_PATTERN } from "./messages.ts";
import type { AcpSettings } from "./options.ts";
import { Refusal } from "./refusal.ts";
import { routesOf, type RouteAnswer, type RouteRequest } from "./routes.ts";
import { detailedView, statusOf, taskView } from "./run-codec.ts";
import {
  acpBodies,
  MAX_REASON_LENGTH,
  acpAnswerShape,
  acpTaskDetailsShape,
  acpTaskShape,
  acpQueuedShape,
} from "./shapes.ts";
import type { NewTask, TaskDesk } from "./tasks.ts";
import type { ViewOf } from "../../parts/shape.ts";

export function transportRoutes(
  host: PartHost,
  settings: AcpSettings,
  desk: TaskDesk,
): readonly Operation[] {
  const route = routesOf(host, "Agent communication");
  const bodies = acpBodies(settings.strict);
  const { strict, waitMs } = settings;
  const example = (subject: ExampleSubject): JsonObject => {
    const { key: agentId, text } = desk.exposed.example(subject);
    return { agentId, message: { role: "user", parts: [{ type: "text", text }] } };
  };

  return [
    route(
      {
        id: "acpSend",
        method: "post",
        path: "/api/acp/send",
        scope: "run",
        summary: "Send a message to an agent",
        description:
          "In a session with an active task, the message is queued. With `Idempotency-Key`, a repeated request returns the same task.",
        shape: acpTaskShape,
        soon: acpQueuedShape,
        refuses: [404, 409, 429],
        headers: ["Idempotency-Key"],
        body: { name: "AcpSend", schema: bodies.AcpSend, example },
      },
      async (request) => {
        const body = await request.read();
        const { agentId, sessionId, resumeSessionId, fireAndForget } = body;
        checkAgentId(agentId);
        const message = readMessage(body["message"], strict);
        await admit(request, agentId, "/api/acp/send");
        const metadata = readTexts(body["metadata"], { field: "metadata", strict });
        const session = idIn(sessionId, { field: "sessionId", strict });
        const resumes = idIn(resumeSessionId, { field: "resumeSessionId", strict });
        const { callerId: sender } = request;
        const key = idempotencyKey(request.raw);
        const id =
          key === undefined
            ? newId("acp", host.clock.now())
            : `acp_${sha256Hex(JSON.stringify([sender, session ?? null, key]))}`;
        const isSoon = isSet(fireAndForget, strict);
        const sent = { id, sender, agent: agentId, message, metadata, session, resumes };
        return accepted(request, { ...sent, streams: isSoon }, isSoon);
      },
    ),
    route(
      {
        id: "acpRequest",
        method: "post",
        path: "/api/acp/request",
        scope: "run",
        summary: "Submit a task under an id of your own",
        shape: acpTaskShape,
        soon: acpQueuedShape,
        refuses: [404, 409, 429],
        body: {
          name: "AcpRequest",
          schema: bodies.AcpRequest,
          example: (subject) => ({ ...example(subject), taskId: "order-7" }),
        },
      },
      async (request) => {
        const body = await request.read();
        const { agentId: agent, taskId: id } = body;
        checkAgentId(agent);
        if (typeof id !== "string" || id === "")
          throw new Refusal(400, "taskId (string) is required");
        if (!TASK_ID_PATTERN.test(id))
          throw new Refusal(
            400,
            `taskId must be 1 to 128 letters, digits or any of _ . : -, got ${preview(id)}`,
          );
        const message = readMessage(body["message"], strict);
        await admit(request, agent, "/api/acp/request");
        const metadata = readTexts(body["metadata"], { field: "metadata", strict });
        const { callerId: sender } = request;
        return accepted(request, { id, sender, agent, message, metadata }, false);
      },
    ),
    route(
      {
        id: "acpAgents",
        method: "get",
        path: "/api/acp/agents",
        scope: "read",
        summary: "List agents",
        shape: acpAnswerShape,
      },
      async ({ tenant, raw }) => {
        const place: CardPlace = { settings, host, request: raw };
        const agents = await desk.exposed.list(tenant);
        return {
          json: { agents: agents.map((each) => ({ id: each.key, card: cardOf(each, place) })) },
        };
      },
    ),
    route(
      {
        id: "acpTask",
        method: "get",
        path: "/api/acp/tasks/{id}",
        scope: "read",
        summary: "Show a task",
        shape: acpTaskDetailsShape,
        refuses: [404],
      },
      async ({ tenant, params: { id = "" } }) => {
        const { task, run } = await desk.get(tenant, id);
        return { json: detailedView(task, run) };
      },
    ),
    route(
      {
        id: "acpYield",
        method: "post",
        path: "/api/acp/tasks/{id}/yield",
        scope: "run",
        summary: "Yield a task",
        description: "Pauses its run until a resume.",
        shape: acpAnswerShape,
        refuses: [404, 409],
        body: {
          name: "AcpYield",
          schema: bodies.AcpYield,
          example: { reason: "A key is missing" },
        },
      },
      async ({ tenant, params: { id = "" }, read }) => {
        const { reason, state, resumeHint } = await read();
        if (typeof reason !== "string" || reason === "")
          throw new Refusal(400, "reason (string) is required");
        if (reason.length > MAX_REASON_LENGTH)
          throw new Refusal(413, `reason may have at most ${MAX_REASON_LENGTH} characters`);
        if (strict && resumeHint !== undefined && typeof resumeHint !== "string")
          throw new Refusal(400, `resumeHint must be a string, got ${preview(resumeHint)}`);
        checkLength(JSON.stringify([state, resumeHint]), "state");
        await desk.get(tenant, id);
        const task = await desk.yield(tenant, id, {
          reason,
          ...(state === undefined ? undefined : { state }),
          ...(typeof resumeHint === "string" ? { resumeHint } : undefined),
        });
        if (task === undefined) throw new Refusal(409, "Task cannot be yielded: it is not working");
        return { json: { id, status: statusOf(task), yieldPayload: task.yieldPayload } };
      },
    ),
    route(
      {
        id: "acpResume",
        method: "post",
        path: "/api/acp/tasks/{id}/resume",
        scope: "run",
        summary: "Resume a task",
        description:
          "Answers a run that waits for a person. With `Idempotency-Key` or `key`, a repeated request has no effect.",
        shape: acpTaskShape,
        refuses: [404, 409],
        headers: ["Idempotency-Key"],
        body: { name: "AcpResume", schema: bodies.AcpResume, example: {} },
      },
      async ({ tenant, scopes, params: { id = "" }, read, raw }) => {
        const { message, state, key } = await read();
        if (strict && key !== undefined && typeof key !== "string")
          throw new Refusal(400, `key must be a string, got ${preview(key)}`);
        const hasMessage = message !== undefined && message !== null;
        checkLength(JSON.stringify(state ?? null), "state");
        await desk.get(tenant, id);
        const said = hasMessage ? readMessage(message, strict) : undefined;
        const task = await desk
          .resume(tenant, id, {
            message: said,
            state,
            key: typeof key === "string" ? key : undefined,
            id: keyedRunId(raw),
          })
          .catch((error: unknown) => {
            if (!strict && error instanceof Refusal && error.status === 409)
              throw new Refusal(500, error.message);
            throw error;
          });
        const { task: now, run } = await desk.settled(
          (await desk.find(tenant, id))?.task ?? task,
          waitMs,
        );
        return { json: taskView(now, { run, shown: mayRead(scopes) }) };
      },
    ),
  ];

  async function admit(
    { tenant, callerId, raw }: RouteRequest,
    subject: string,
    path: "/api/acp/send" | "/api/acp/request",
  ): Promise<void> {
    await settings.admit({ tenant, callerId, subject, route: path, request: raw });
  }

  /** Answers 202 for a queued or asynchronous task, otherwise 200. */
  async function accepted(
    { tenant, scopes }: RouteRequest,
    sent: NewTask,
    fireAndForget: boolean,
  ): Promise<RouteAnswer<ViewOf<typeof acpTaskShape> | ViewOf<typeof acpQueuedShape>>> {
    const { task, repeated } = await desk.send(tenant, sent);
    const { id: taskId, session } = task;
    if (task.state === "queued" && session !== undefined) {
      const queuePosition = await desk.store.tasks.queued(tenant, session, taskId);
      return { status: 202, json: { taskId, queued: true, queuePosition } };
    }
    if (fireAndForget) return { status: 202, json: { taskId, queued: false, fireAndForget: true } };
    const { task: now, run } = await desk.settled(task, waitMs);
    return { json: taskView(now, { run, shown: !repeated || mayRead(scopes) }) };
  }
}

/** Limit for callers' data stored with a task, in UTF-16 units. */
const MAX_STATE_LENGTH = 65_536;

function checkLength(text: string, field: string): void {
  if (text.length > MAX_STATE_LENGTH)
    throw new Refusal(
      413,
      `${field} may have at most ${MAX_STATE_LENGTH} characters, got ${text.length}`,
    );
}

/** Code Buddy takes any value except `false` for yes. */
function isSet(flag: JsonObject[string] | undefined, strict: boolean): boolean {
  if (flag === undefined || flag === null || typeof flag === "boolean") return flag === true;
  if (strict) throw new Refusal(400, `fireAndForget must be true or false, got ${preview(flag)}`);
  return true;
}

function checkAgentId(agentId: unknown): asserts agentId is string {
  if (typeof agentId !== "string" || agentId === "")
    throw new Refusal(400, "agentId (string) is required");
}
