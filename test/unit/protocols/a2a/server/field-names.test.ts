// Names of fields in both spellings, in both versions and bindings.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import { withFieldNames } from "../../../../../src/protocols/a2a/field-names.ts";
import { snakeKeys } from "../../../../../src/base/camel-case.ts";
import { A2AWorld } from "./world.ts";

const OLD = { "a2a-version": "" };
const world = new A2AWorld();

function sent(messageId: string, more: object = {}): object {
  const message = { messageId, role: "ROLE_USER", parts: [{ text: "go" }], contextId: messageId };
  return { message, configuration: { historyLength: 0 }, ...more };
}

describe("names of fields", () => {
  it("AFN1: are read in snake_case, but for the caller's own JSON", () => {
    const own = { my_field: { inner_field: 1 } };
    expect(
      withFieldNames({
        message: { message_id: "m", parts: [{ data: own, media_type: "a/b" }], metadata: own },
        return_immediately: true,
      }),
    ).toEqual({
      message: { messageId: "m", parts: [{ data: own, mediaType: "a/b" }], metadata: own },
      returnImmediately: true,
    });
    expect(() => withFieldNames({ page_size: 1, pageSize: 2 })).toThrow(/pageSize.*two spellings/);
  });

  it.each(["rpc", "rest"] as const)("AFN1: 1.0 over %s takes both", async (binding) => {
    for (const form of [(value: object) => value, (value: object) => snakeKeys(value) as object]) {
      const id = `tck-names-${binding}-${form({ aB: 1 }).constructor.name}${JSON.stringify(form({ aB: 1 }))}`;
      const params = form(sent(id.replaceAll(/[^\w-]/g, "")));
      const { task } = (binding === "rpc"
        ? await world.result("SendMessage", params)
        : (await world.rest("/message:send", { json: params })).json) as JsonObject as {
        task: { id: string; history?: unknown; contextId: string };
      };
      expect(task).not.toHaveProperty("history");
      const filter = form({ contextId: task.contextId, pageSize: 1 }) as Record<string, string>;
      const query = new URLSearchParams(filter).toString();
      const page =
        binding === "rpc"
          ? await world.result("ListTasks", filter)
          : (await world.rest(`/tasks?${query}`)).json;
      expect(page).toMatchObject({ totalSize: 1, pageSize: 1, tasks: [{ id: task.id }] });
    }
  });

  it("AFN1: 0.3 takes both, over JSON-RPC and over HTTP+JSON", async () => {
    const parts = [{ kind: "file", file: { bytes: btoa("x"), mime_type: "text/plain" } }];
    const rpc = await world.rpc(
      "message/send",
      {
        message: { kind: "message", role: "user", message_id: "tck-old-names", parts },
        configuration: { history_length: 1 },
      },
      { headers: OLD },
    );
    expect(rpc.json).toMatchObject({
      result: { history: [{ parts: [{ file: { mimeType: "text/plain" } }] }] },
    });
    const request = { message_id: "tck-old-rest", role: "ROLE_USER", content: [{ text: "hello" }] };
    const rest = await world.rest("/v1/message:send", {
      headers: OLD,
      json: { request, configuration: { blocking: true } },
    });
    expect(rest.json).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  });

  it("refuses a list with an unknown filter, in place of a longer list", async () => {
    const rpc = await world.rpc("ListTasks", { context: "none", tenant: "" });
    expect(rpc.json).toMatchObject({ error: { code: -32602 } });
    expect(rpc.text).toContain("context");
    expect((await world.rest("/tasks?state=done")).status).toBe(400);
    expect((await world.rest("/tasks?tenant=&A2A-Version=1.0")).status).toBe(200);
  });

  it("names the missing header when a method of 1.0 is called as one of 0.3", async () => {
    const { json } = await world.rpc("SendMessage", sent("tck-no-version"), { headers: OLD });
    expect(json).toMatchObject({
      error: { code: -32601, message: expect.stringContaining("A2A-Version: 1.0") },
    });
  });
});
