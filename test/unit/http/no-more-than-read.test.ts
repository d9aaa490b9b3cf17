// Every write that needs no `read`, asked by a key that has none, about things that somebody else has made.
import { describe, expect, it } from "vitest";
import type { AskOptions } from "../../support/http-app.ts";
import {
  CANARY,
  rightsWorld,
  SEEDS,
  VERSION,
  type RightsWorld,
} from "../../support/rights-world.ts";

type Asking = readonly [path: string, options: AskOptions];
type Row = readonly [seed: keyof typeof SEEDS, requests: (id: string) => readonly Asking[]];

const WAIT = { prefer: "wait=5" };
const STREAM = { accept: "text/event-stream" };
const post = (path: string, json: unknown = {}, headers: Record<string, string> = {}): Asking => [
  path,
  { method: "POST", json, headers },
];
/** The same start, answered in each way, and with a token or a webhook. */
const starts = (path: string, json: object): readonly Asking[] => [
  post(path, { ...json, id: "a" }),
  post(path, { ...json, id: "b" }, WAIT),
  post(path, { ...json, id: "c" }, STREAM),
];
const TEXT = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });
const part = (taskId?: string, contextId?: string) => ({
  message: { messageId: "mine", role: "ROLE_USER", taskId, contextId, parts: [{ text: "go on" }] },
});
const TASK = "/a2a/briefing/tasks";
const rpc = (method: string, params: object): Asking =>
  post("/a2a/briefing", { jsonrpc: "2.0", id: 1, method, params }, VERSION);
const tool = (name: string, args: object): Asking =>
  post(
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    },
    { accept: "application/json, text/event-stream" },
  );

/** Operations that begin something of the caller's own, and name nothing that is there: their answers show that alone. */
const OWN_ALONE: Readonly<Record<string, string>> = {
  openaiConversation: "makes an id",
  openaiChangeConversation: "answers with the metadata of its body",
  openaiDeleteConversation: "answers with the id in its path",
  openaiAddConversationItems: "answers with the items of its body",
  cancelAgUiThread: "answers with a number",
  uploadFile: "stores the caller's bytes",
  continueUpload: "answers with numbers in headers",
  deleteUpload: "has no body",
  deleteFile: "has no body",
  acpHeartbeat: "answers with the name in its path",
  acpContext: "answers with lengths",
  acpDelegate: "runs a tool with the caller's arguments",
  mcpEnd: "has no body",
  revokeTokens: "has no body",
  runSchedule: "answers with an id and links",
  addKnowledge: "answers with an id and links",
  openaiChat: "sends the whole conversation, and finds runs of its own key alone",
  acpSendTask: "makes an id",
  acpCreateSession: "answers with the name in its body",
  compatKickoff: "answers with an id",
};

const ROWS: Readonly<Record<string, Row>> = {
  resumeRun: ["run", (id) => [post(`/runs/${id}/resume`, { feedback: "yes" })]],
  sendEvent: ["run", (id) => [post(`/runs/${id}/events/paid`, {})]],
  withdrawRunMessage: ["run", (id) => [[`/runs/${id}/messages/m1`, { method: "DELETE" }]]],
  cancelRun: ["run", (id) => [post(`/runs/${id}/cancel`)]],
  pauseRun: ["run", (id) => [post(`/runs/${id}/pause`)]],
  unpauseRun: ["run", (id) => [post(`/runs/${id}/unpause`)]],
  forkRun: ["run", (id) => starts(`/runs/${id}/fork`, { fromStart: true })],
  replayRun: ["run", (id) => starts(`/runs/${id}/replay`, { fromTask: "research" })],
  retryRun: ["failed", (id) => starts(`/runs/${id}/retry`, {})],
  kickoffCrew: ["run", (id) => again("/crews/briefing/kickoff", id, { inputs: { topic: CANARY } })],
  kickoffCrewForEach: [
    "run",
    (id) => again("/crews/briefing/kickoff-for-each", id, { inputs: [{ topic: "a" }] }),
  ],
  trainCrew: [
    "run",
    (id) =>
      again("/crews/briefing/train", id, { name: "t", iterations: 1, inputs: { topic: "a" } }),
  ],
  testCrew: [
    "run",
    (id) => again("/crews/briefing/test", id, { iterations: 1, inputs: { topic: "a" } }),
  ],
  chatWithCrew: [
    "run",
    (id) => again("/crews/briefing/chat", id, { messages: [{ role: "user", content: "a" }] }),
  ],
  kickoffAgent: ["run", (id) => again("/agents/writer/kickoff", id, { messages: "a" })],
  kickoffFlow: [
    "state",
    (id) => [
      ...starts("/flows/keeps/kickoff", { restoreFromStateId: id }),
      post("/flows/keeps/kickoff", { inputs: { id }, id: "d" }, WAIT),
    ],
  ],
  takeTurn: [
    "session",
    (sessionId) => starts("/flows/help/turns", { sessionId, message: "Again?" }),
  ],
  deleteSession: ["session", (id) => [[`/flows/help/sessions/${id}`, { method: "DELETE" }]]],
  kickoffConversation: [
    "talk",
    (id) => again("/conversations/review/kickoff", id, { message: CANARY }),
  ],
  sayMessage: ["talk", (id) => [post(`/runs/${id}/messages`, { name: "ana", content: "fine" })]],
  answerConversation: [
    "talk",
    (id) => [
      post(`/conversations/runs/${id}/events`, { type: "input_response", id: "", value: "fine" }),
    ],
  ],
  forkAtMessage: ["talk", (id) => starts(`/runs/${id}/messages/0/fork`, { content: "other" })],
  saveMemory: [
    "memory",
    () => [
      post("/memory", { content: CANARY, scope: "/a", categories: ["a"], importance: 0.5 }),
      post(
        "/memory",
        { content: CANARY, scope: "/a", categories: ["a"], importance: 0.5 },
        { "idempotency-key": "k" },
      ),
    ],
  ],
  changeMemory: [
    "memory",
    (id) => [[`/memory/records/${id}`, { method: "PATCH", json: { importance: 1 } }]],
  ],
  forgetMemory: ["memory", (id) => [[`/memory/records/${id}`, { method: "DELETE" }]]],
  createToken: [
    "run",
    (id) => [
      post("/tokens", { runs: [id], scopes: ["read"] }),
      post("/tokens", { runs: [id], scopes: ["cancel"], detail: "all" }),
    ],
  ],
  compatResume: [
    "run",
    (id) => [
      post("/compat/briefing/resume", {
        execution_id: id,
        task_id: "research",
        human_feedback: "x",
        is_approve: false,
      }),
    ],
  ],
  a2aJsonRpc: [
    "task",
    (id) => [
      rpc("SendMessage", part(id)),
      rpc("SendStreamingMessage", part(id)),
      rpc("SendMessage", part(undefined, "the-context")),
      rpc("CreateTaskPushNotificationConfig", { taskId: id, url: "https://example.com/" }),
      rpc("CancelTask", { id }),
    ],
  ],
  a2aSend: [
    "task",
    (id) => [
      post("/a2a/briefing/message:send", part(id), VERSION),
      post("/a2a/briefing/message:stream", part(id), VERSION),
      post("/a2a/briefing/message:send", part(undefined, "the-context"), VERSION),
    ],
  ],
  a2aOldSend: [
    "task",
    (id) => [
      post("/a2a/briefing/v1/message:send", {
        message: {
          messageId: "mine",
          role: "user",
          taskId: id,
          parts: [{ kind: "text", text: "go" }],
        },
      }),
    ],
  ],
  a2aTaskAction: [
    "task",
    (id) => [
      post(`${TASK}/${id}:cancel`, {}, VERSION),
      post(`${TASK}/${id}:subscribe`, {}, VERSION),
    ],
  ],
  a2aOldTaskAction: ["task", (id) => [post(`/a2a/briefing/v1/tasks/${id}:cancel`)]],
  a2aCreatePush: [
    "task",
    (id) => [
      post(`${TASK}/${id}/pushNotificationConfigs`, { url: "https://example.com/" }, VERSION),
    ],
  ],
  a2aOldCreatePush: [
    "task",
    (id) => [
      post(`/a2a/briefing/v1/tasks/${id}/pushNotificationConfigs`, {
        pushNotificationConfig: { url: "https://example.com/" },
      }),
    ],
  ],
  a2aDeletePush: [
    "task",
    (id) => [[`${TASK}/${id}/pushNotificationConfigs/x`, { method: "DELETE", headers: VERSION }]],
  ],
  a2aOldDeletePush: [
    "task",
    (id) => [[`/a2a/briefing/v1/tasks/${id}/pushNotificationConfigs/x`, { method: "DELETE" }]],
  ],
  runAgUi: [
    "thread",
    (threadId) => [
      post("/ag-ui/writer", { threadId, runId: "r2", messages: [] }),
      post("/ag-ui/writer", {
        threadId,
        runId: "r1",
        messages: [{ id: "1", role: "user", content: CANARY }],
      }),
    ],
  ],
  openaiResponse: [
    "response",
    (id) => [
      post("/v1/responses", { model: "agent/writer", input: "repeat", previous_response_id: id }),
      post("/v1/responses", {
        model: "agent/writer",
        input: "repeat",
        conversation: "the-conversation",
      }),
    ],
  ],
  openaiCancelResponse: ["response", (id) => [post(`/v1/responses/${id}/cancel`)]],
  openaiDeleteResponse: ["response", (id) => [[`/v1/responses/${id}`, { method: "DELETE" }]]],
  acpSend: [
    "acp",
    () => [
      post("/api/acp/send", {
        agentId: "crew/briefing",
        message: TEXT("x"),
        sessionId: "the-acp-session",
      }),
    ],
  ],
  acpRequest: [
    "acp",
    (taskId) => [
      post("/api/acp/request", { agentId: "agent/writer", taskId, message: TEXT(CANARY) }),
    ],
  ],
  acpResume: ["acp", (id) => [post(`/api/acp/tasks/${id}/resume`)]],
  acpYield: ["acp", (id) => [post(`/api/acp/tasks/${id}/yield`, { reason: "x" })]],
  acpCancelTask: ["acp", (id) => [post(`/api/a2a/tasks/${id}/cancel`)]],
  acpCancelSession: ["acp", () => [post("/api/acp/sessions/the-acp-session/cancel")]],
  acpCloseSession: ["acp", () => [post("/api/acp/sessions/the-acp-session/close")]],
  acpDeleteSession: ["acp", () => [["/api/acp/sessions/the-acp-session", { method: "DELETE" }]]],
  mcp: ["run", (id) => [tool("get_run", { runId: id }), tool("cancel_run", { runId: id })]],
};

/** A start with the id of a run that is there. */
function again(path: string, id: string, json: object): readonly Asking[] {
  return [
    post(path, { ...json, id }),
    post(path, { ...json, id }, WAIT),
    post(path, { ...json, id }, STREAM),
  ];
}

/** Rows of which a key with `read` sees contents: without them the rows would show nothing of the rule. */
const SHARP = [
  "cancelRun",
  "forkRun",
  "replayRun",
  "retryRun",
  "kickoffCrew",
  "kickoffFlow",
  "takeTurn",
  "kickoffConversation",
  "sayMessage",
  "forkAtMessage",
  "saveMemory",
  "changeMemory",
  "a2aJsonRpc",
  "a2aSend",
  "a2aOldSend",
  "a2aTaskAction",
  "a2aOldTaskAction",
  "runAgUi",
  "openaiResponse",
  "openaiCancelResponse",
  "acpRequest",
];

describe("a key with the scope run alone", () => {
  it("RIG2: has a row for every write that needs no read", async () => {
    const { world } = await rightsWorld();
    const writes = world.api.operations.filter(
      ({ method, scope }) => method !== "get" && ["run", "answer", "key"].includes(scope),
    );
    const rows = [...Object.keys(ROWS), ...Object.keys(OWN_ALONE)];
    expect(writes.map(({ id }) => id).toSorted()).toEqual(rows.toSorted());
  });

  it.each(Object.entries(ROWS))("RIG2, RIG3: %s shows nothing that is there", async (_, row) => {
    const of = await rightsWorld();
    for (const { path, status, text } of await answersTo(of, row, of.runOnly)) {
      expect([path, text.includes(CANARY) ? text : ""]).toEqual([path, ""]);
      expect([path, status, status < 500]).toEqual([path, status, true]);
    }
  });

  it.each(SHARP)("RIG2: %s shows it to a key with read", async (id) => {
    const of = await rightsWorld();
    const answers = await answersTo(of, ROWS[id] as Row, of.owner);
    expect(answers.filter(({ text }) => text.includes(CANARY))).not.toEqual([]);
  });
});

async function answersTo(of: RightsWorld, [seed, requests]: Row, key: string) {
  const answers: Array<{ path: string; status: number; text: string }> = [];
  const id = await SEEDS[seed](of);
  for (const [path, options] of requests(id))
    answers.push({ path, ...(await of.ask(path, { ...options, key })) });
  return answers;
}
