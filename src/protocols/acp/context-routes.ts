// Context for tasks, tools, and capabilities of the Worker: `/api/acp/context`, `/delegate`, `/capabilities`.
import { noted } from "../../base/log.ts";
import { cut } from "../../base/cut.ts";
import { errorMessage } from "../../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { isTerminal, type Run } from "../../runtime/run.ts";
import { byteLength, idIn, MESSAGE_LIMITS, readTexts } from "./messages.ts";
import { toolsOf, type AcpSettings } from "./options.ts";
import { DELEGATION_KIND } from "./programs.ts";
import { PassingRefusal, Refusal } from "./refusal.ts";
import { routesOf } from "./routes.ts";
import { acpBodies, acpAnswerShape } from "./shapes.ts";
import type { ContextPiece } from "./store.ts";
import type { TaskDesk } from "./tasks.ts";

const MAX_NAME_LENGTH = 256;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;
const PRIORITIES = ["low", "medium", "high"] as const;

export function contextRoutes(
  host: PartHost,
  settings: AcpSettings,
  { store, exposed }: TaskDesk,
): readonly Operation[] {
  const route = routesOf(host, "Agent communication");
  const bodies = acpBodies(settings.strict);
  const { strict } = settings;

  return [
    route(
      {
        id: "acpContext",
        method: "post",
        path: "/api/acp/context",
        scope: "run",
        summary: "Add context for the next task",
        description:
          "For the next task of this key; with `sessionId`, for the next one in this session.",
        shape: acpAnswerShape,
        refuses: [404, 409],
        body: {
          name: "AcpContext",
          schema: bodies.AcpContext,
          example: { type: "note", content: "The customer is in a hurry." },
        },
      },
      async ({ tenant, callerId, read }) => {
        const body = await read();
        const { type, content } = body;
        if (typeof type !== "string" || type === "")
          throw new Refusal(400, "type (string) is required");
        if (typeof content !== "string" || content === "")
          throw new Refusal(400, "content (string) is required");
        const piece = { type, content, ...contextExtras(body, strict) };
        for (const field of ["type", "content"] as const)
          if (byteLength(piece[field]) > MESSAGE_LIMITS.textBytes)
            throw new Refusal(413, `${field} may have at most ${MESSAGE_LIMITS.textBytes} bytes`);
        const nowMs = host.clock.now();
        const done = { success: true, type, contentLength: content.length };
        if (settings.ingest !== undefined) {
          try {
            await settings.ingest({ ...piece, source: "acp", timestamp: nowMs }, tenant);
          } catch (error) {
            throw new PassingRefusal(500, "Context injection failed", {
              message: errorMessage(error),
            });
          }
          return { json: { ...done, priority: piece.priority } };
        }
        const session = idIn(body["sessionId"], { field: "sessionId", strict });
        if (session !== undefined && !(await store.sessions.get(tenant, { id: session })))
          throw new Refusal(404, `Session not found: ${session}`);
        const meant = { ...piece, sender: callerId, ...(session && { session }) };
        const expiresAtMs = nowMs + settings.contextTtlMs;
        if (!(await store.contexts.add(tenant, meant, { nowMs, expiresAtMs })))
          throw new Refusal(409, "Too much context waits for the next task already");
        const message = "Stored for the next task";
        return { json: { ...done, mode: "stored", message } };
      },
    ),
    route(
      {
        id: "acpDelegate",
        method: "post",
        path: "/api/acp/delegate",
        scope: "run",
        summary: "Call a tool",
        description:
          "The call is a run: it is on record, and it is cancelled when its time is over.",
        shape: acpAnswerShape,
        refuses: [404, 429, 503, 504],
        needs: settings.tools === undefined ? "tools in the app's `acp({ tools })`" : undefined,
        body: {
          name: "AcpDelegation",
          schema: bodies.AcpDelegation,
          example: { tool: "calculator", args: { expression: "6 * 7" } },
        },
      },
      async ({ tenant, callerId, read, raw }) => {
        const { tool, args, timeout } = await read();
        if (typeof tool !== "string" || tool === "")
          throw new Refusal(400, "tool (string) is required");
        if (!isArguments(args, strict)) throw new Refusal(400, "args (object) is required");
        const timeoutMs = timeLimit(timeout, strict);
        const subject = `tool/${tool}`;
        await settings.admit({
          tenant,
          callerId,
          subject,
          route: "/api/acp/delegate",
          request: raw,
        });
        const none = "Tool registry not available";
        const advice = { message: "This Worker delegates no tools: set acp({ tools })" };
        const tools = await toolsOf(settings, tenant).catch((error: unknown) => {
          host.report(noted(error, "request_failed"));
          throw new PassingRefusal(503, none, advice);
        });
        // A permanently missing setting is not an outage, which clients would retry.
        if (tools === null) throw new Refusal(strict ? 404 : 503, none, advice);
        if (!tools.some(({ name }) => name === tool))
          throw failed(strict ? 404 : 500, tool, `Tool not found: ${tool}`);
        return delegated({ tenant, tool, args, timeoutMs });
      },
    ),
    route(
      {
        id: "acpCapabilities",
        method: "get",
        path: "/api/acp/capabilities",
        scope: "read",
        summary: "Show the capabilities of the Worker",
        shape: acpAnswerShape,
      },
      async ({ tenant }) => {
        const tools = (await toolsOf(settings, tenant).catch(() => null)) ?? [];
        const agents = await exposed.list(tenant);
        const { name, version } = settings;
        const capabilities = [
          "context-injection",
          ...(tools.length > 0 ? ["tool-delegation"] : []),
          ...(agents.length > 1 ? ["multi-agent"] : []),
        ];
        const shown = tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          readOnly: tool.effect === "pure",
          category: "general",
        }));
        return { json: { tools: shown, agent: { name, version, capabilities } } };
      },
    ),
  ];

  async function delegated({ tenant, tool, args, timeoutMs }: Delegation) {
    const { runs, clock, randomId } = host;
    const id = randomId();
    const untilMs = clock.now() + timeoutMs;
    await runs.start({ id, tenant, kind: DELEGATION_KIND, name: tool, inputs: { tool, args } });
    const late = `Tool execution timed out after ${timeoutMs}ms`;
    const run = await runs.settled(tenant, id, untilMs - clock.now());
    if (isTerminal(run.status)) return outcome(tool, run);
    await runs.cancel(tenant, id, late);
    const waits = run.status === "waiting" && clock.now() < untilMs;
    if (waits)
      throw failed(500, tool, "The tool waits for a person, which a delegated call cannot");
    throw failed(strict ? 504 : 500, tool, late);
  }
}

type Delegation = {
  readonly tenant: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly timeoutMs: number;
};

function outcome(tool: string, { status, output, error }: Run) {
  if (status === "completed") return { json: { success: true, tool, result: output ?? null } };
  throw failed(500, tool, error?.message ?? `the call is ${status}`);
}

/** A failed call has the field `error` last, like the field `result` of a successful one. */
function failed(status: number, tool: string, error: string): Refusal {
  return new Refusal(status, error, { success: false, tool: cut(tool, MAX_NAME_LENGTH) });
}

function contextExtras(
  { priority = "medium", metadata }: JsonObject,
  strict: boolean,
): Pick<ContextPiece, "priority" | "metadata"> {
  const known = PRIORITIES.find((each) => each === priority);
  if (strict && known === undefined)
    throw new Refusal(400, `priority must be low, medium or high, got ${preview(priority)}`);
  return {
    priority: known ?? "medium",
    metadata: readTexts(metadata, { field: "metadata", strict }) ?? {},
  };
}

function isArguments(args: JsonValue | undefined, strict: boolean): args is JsonObject {
  return isJsonObject(args) || (!strict && Array.isArray(args));
}

/**
 * Returns the limit in milliseconds. Code Buddy takes zero for the default, and accepts any value convertible to a
 * number; otherwise its timer fires at once.
 */
function timeLimit(timeout: JsonValue | undefined, strict: boolean): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_MS;
  if (strict && !(typeof timeout === "number" && Number.isFinite(timeout) && timeout > 0))
    throw new Refusal(
      400,
      `timeout must be a finite number of milliseconds above 0, got ${preview(timeout)}`,
    );
  const falsy = timeout === null || timeout === 0 || timeout === "" || timeout === false;
  const asked = falsy ? DEFAULT_TIMEOUT_MS : Number(timeout);
  return Number.isNaN(asked) ? 1 : Math.min(Math.max(asked, 1), MAX_TIMEOUT_MS);
}
