// A2A 0.3 on the wire: what the official client does not show.
import { describe, expect, it } from "vitest";
import { A2AWorld, dataOf } from "./world.ts";

const OLD = { "a2a-version": "" };

function message(messageId: string, more: object = {}): object {
  return {
    kind: "message",
    role: "user",
    messageId,
    parts: [{ kind: "text", text: "go" }],
    ...more,
  };
}

describe("A2A 0.3", () => {
  const world = new A2AWorld({
    a2a: {
      expose: { "agent/writer": { extended: { description: "More" } } },
    },
  });
  const call = async (method: string, params: object, agent = "conformance") =>
    (await world.rpc(method, params, { headers: OLD, agent })).json;

  it("answers with bare tasks and messages with their kind", async () => {
    const { result } = await call("message/send", { message: message("tck-artifact-file-old") });
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [
        {
          parts: [
            {
              kind: "file",
              file: { bytes: expect.any(String), name: "output.txt", mimeType: "text/plain" },
            },
          ],
        },
      ],
      history: [{ kind: "message", role: "user", parts: [{ kind: "text", text: "go" }] }],
    });
    const reply = await call("message/send", { message: message("tck-message-response-old") });
    expect(reply["result"]).toMatchObject({ kind: "message", role: "agent" });
  });

  it("marks the last event of a stream", async () => {
    const answer = await world.rpc(
      "message/stream",
      { message: message("tck-stream-old") },
      { headers: OLD },
    );
    const events = dataOf(answer.text).map(
      (data) => (data as { result: Record<string, unknown> }).result,
    );
    expect(events.map(({ kind, final }) => [kind, final])).toEqual([
      ["task", undefined],
      ["status-update", false],
      ["artifact-update", undefined],
      ["status-update", true],
    ]);
    const asking = await world.rpc(
      "message/stream",
      { message: message("tck-input-required-old") },
      { headers: OLD },
    );
    expect(dataOf(asking.text).at(-1)).toMatchObject({
      result: { status: { state: "input-required" }, final: true },
    });
  });

  it("takes files and data in the form of 0.3", async () => {
    const parts = [
      { kind: "file", file: { bytes: btoa("hello"), mimeType: "text/plain", name: "a.txt" } },
      { kind: "data", data: { a: 1 } },
    ];
    const { result } = await call(
      "message/send",
      { message: message("m-files", { parts }) },
      "writer",
    );
    expect(result).toMatchObject({ history: [{ parts }] });
  });

  it("returns at once with blocking: false", async () => {
    const { result } = await call("message/send", {
      message: message("tck-slow-old"),
      configuration: { blocking: false },
    });
    expect(["submitted", "working"]).toContain(result?.["status"]?.["state"]);
    const canceled = await call("tasks/cancel", { id: result?.["id"] });
    expect(canceled["result"]).toMatchObject({ kind: "task", status: { state: "canceled" } });
  });

  it("AV1: has the refusals of 1.0", async () => {
    expect(await call("tasks/get", { id: "nothing" })).toMatchObject({ error: { code: -32001 } });
    expect(await call("message/send", { message: message("m", { parts: [] }) })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call("message/send", {})).toMatchObject({ error: { code: -32602 } });
    expect(await call("message/send", { message: "text" })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call("tasks/list", {})).toMatchObject({ error: { code: -32601 } });
    expect(await call("SendMessage", {})).toMatchObject({ error: { code: -32601 } });
    expect(await call("toString", {})).toMatchObject({ error: { code: -32601 } });
    expect(await call("tasks/pushNotificationConfig/set", { taskId: "x" })).toMatchObject({
      error: { code: -32602 },
    });
  });

  it("returns the extended card in a form for both versions", async () => {
    const { result } = await call("agent/getAuthenticatedExtendedCard", {}, "writer");
    expect(result).toMatchObject({
      description: "More",
      protocolVersion: "0.3.0",
      supportsAuthenticatedExtendedCard: true,
    });
    const rest = await world.rest("/v1/card", { headers: OLD, agent: "writer" });
    expect(rest.json).toMatchObject({ description: "More", protocolVersion: "0.3.0" });
  });

  it("keeps the paths of the versions apart", async () => {
    const version = {
      status: 400,
      json: { error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] } },
    };
    expect(await world.rest("/tasks/x", { headers: OLD })).toMatchObject(version);
    expect(await world.rest("/v1/tasks/x")).toMatchObject(version);
    const only = new A2AWorld();
    expect((await only.rest("/v1/tasks/x", { headers: OLD })).status).toBe(404);
  });

  it("accepts the message of 0.3's HTTP binding in all forms of known clients", async () => {
    for (const [key, body] of Object.entries({
      a: { request: { messageId: "tck-rest-a", role: "ROLE_USER", content: [{ text: "go" }] } },
      b: {
        message: { messageId: "tck-rest-b", role: "user", parts: [{ kind: "text", text: "go" }] },
      },
      c: {
        message: {
          messageId: "tck-rest-c",
          role: "ROLE_USER",
          taskId: "",
          contextId: "",
          content: [{ data: { data: { a: 1 } } }],
        },
      },
    })) {
      const { json } = await world.rest("/v1/message:send", { headers: OLD, json: body });
      expect({ key, ...json }).toMatchObject({
        task: { status: { state: "TASK_STATE_COMPLETED" } },
      });
    }
  });
});
