import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { handServer, listed, type Hand } from "../../../../support/mcp-answers.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";

const SHOP = { url: "https://shop.example.com/mcp", name: "shop" };
const DONE = { status: "completed", result: { content: [{ type: "text", text: "built" }] } };

/** A server whose only tool becomes a task that goes through these states. */
function builder(states: readonly JsonObject[], first: JsonObject = {}) {
  let next = 0;
  const noted: string[] = [];
  const hand: Hand = ({ method, params, headers }) => {
    if (method === "tools/call") {
      noted.push("call");
      return { resultType: "task", taskId: "t1", status: "working", ttlMs: null, ...first };
    }
    noted.push(`${method} ${String(params["taskId"])} ${headers.get("mcp-name")}`);
    if (method === "tasks/update") noted.push(JSON.stringify(params["inputResponses"]));
    if (method !== "tasks/get") return {};
    const state = states[Math.min(next, states.length - 1)] ?? {};
    next += 1;
    return { taskId: "t1", ...state };
  };
  return { noted, server: handServer([listed("build")], hand) };
}

function building(states: readonly JsonObject[], { first = {}, settings = {} } = {}) {
  const { noted, server } = builder(states, first);
  const mcps = [mcpServer({ ...SHOP, ...settings }, { fetch: server.fetch })];
  const { crew } = crewCalling([["shop_build", {}]], { mcps });
  return { noted, server, run: startMcpRun(crew, () => 0) };
}

describe("a call that becomes a task", () => {
  it("XK1: is asked for at the server's interval until it has ended", async () => {
    const { noted, server, run } = building([{ status: "working" }, DONE], {
      first: { pollIntervalMs: 90_000 },
    });
    const startedAtMs = run.clock.now();
    expect(await rawOf(run)).toContain("built");
    expect(noted).toEqual(["call", "tasks/get t1 t1", "tasks/get t1 t1"]);
    expect(run.clock.now() - startedAtMs).toBeGreaterThanOrEqual(91_000);
    const { params } = server.requests.find(({ method }) => method === "tools/call") ?? {};
    const meta = params?.["_meta"] as Record<string, JsonObject>;
    expect(meta["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
  });

  it("XK2: puts its question once, and sends the answer", async () => {
    const inputRequests = {
      go: {
        method: "elicitation/create",
        params: {
          message: "Go on?",
          requestedSchema: { type: "object", properties: { yes: { type: "boolean" } } },
        },
      },
    };
    const asks = { status: "input_required", inputRequests };
    const { noted, run } = building([asks, asks, DONE]);
    const { waits } = await run.settle();
    expect(waits.map(({ prompt }) => prompt)).toEqual([
      "MCP server shop asks, in a call of build: Go on?",
    ]);
    await run.handle.resume({ key: waits[0]?.key ?? "", value: { yes: true } });
    expect(await rawOf(run)).toContain("built");
    expect(noted).toEqual([
      "call",
      "tasks/get t1 t1",
      "tasks/update t1 t1",
      '{"go":{"action":"accept","content":{"yes":true}}}',
      "tasks/get t1 t1",
      "tasks/get t1 t1",
    ]);
  });

  it.each([
    [{ status: "failed", error: { code: -1, message: "no clay" } }, "failed: no clay"],
    [{ status: "cancelled" }, "was cancelled"],
    [{ status: "resting" }, "which is unknown"],
    [{ status: "completed" }, "without a result"],
    [
      {
        status: "completed",
        result: { isError: true, content: [{ type: "text", text: "cracked" }] },
      },
      "cracked",
    ],
  ])("fails as %j", async (state, message) => {
    const { run } = building([state]);
    expect(await rawOf(run)).toContain(message);
    expect(run.of("tool_failure_detected")[0]).toMatchObject({ reason: "mcp_error" });
  });

  it("XK1: is cancelled when it takes longer than the settings allow", async () => {
    const { noted, run } = building([{ status: "working" }], { settings: { task_timeout: 30 } });
    expect(await rawOf(run)).toContain("took longer than 30000 ms and was cancelled");
    expect(noted.at(-1)).toBe("tasks/cancel t1 t1");
  });

  it("XK1: goes on after a crash with the same task", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { noted, server } = builder([{ status: "working" }, DONE]);
      const mcps = [mcpServer(SHOP, { fetch: server.fetch })];
      return { program: crewCalling([["shop_build", {}]], { mcps }).crew.program(), calls: noted };
    });
    expect(JSON.stringify(whole.run.output)).toContain("built");
    for (const { calls, run } of cut) {
      expect(run.status).toBe("completed");
      expect(calls.filter((call) => call === "call").length).toBeLessThanOrEqual(1);
    }
  });
});
