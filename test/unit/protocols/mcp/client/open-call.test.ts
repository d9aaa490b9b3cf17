// Servers of revision 2025-11-25, which ask while a call of theirs is open.
import { describe, expect, it } from "vitest";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { scriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";
import type { Wait } from "../../../../../src/runtime/run.ts";
import { askingServer, type AskingServerOptions } from "../../../../support/mcp-asking-server.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { crewCalling, quiet, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";

const SERVER = { url: "https://asking.example.com/mcp", name: "shop" };
const WEEKS_MS = 21 * 86_400_000;

function calling(tool: string, settings: object = {}, options: AskingServerOptions = {}) {
  const server = askingServer(options);
  const mcps = [mcpServer({ ...SERVER, ...settings }, { fetch: server.fetch })];
  const { crew, model } = crewCalling([[`shop_${tool}`, {}]], { mcps });
  return { server, model, crew, run: startMcpRun(crew, server.underWay) };
}

type Calling = ReturnType<typeof calling>;

/** The question of the run, while its connection is open. */
async function question({ run, server }: Calling): Promise<Wait> {
  for (let turn = 0; turn < 200; turn++) {
    await quiet(run.clock, server.underWay);
    const [wait] = (await run.handle.status()).waits;
    if (wait !== undefined) return wait;
    const { nextDueMs } = run.clock;
    if (nextDueMs !== undefined) await run.clock.advance(Math.min(50, nextDueMs - run.clock.now()));
  }
  throw new Error("the run asks nothing");
}

describe("a server that asks a person during a call", () => {
  it("XOC1: gets the answer over its open connection", async () => {
    const made = calling("confirm");
    const wait = await question(made);
    expect(wait).toMatchObject({
      kind: "human",
      prompt: "MCP server shop asks, in a call of confirm: How many?",
      schema: { properties: { pieces: { type: "integer", minimum: 1 } } },
      declinable: true,
    });
    expect((await made.run.handle.status()).status).toBe("running");
    await made.run.handle.resume({ key: wait.key, value: { pieces: 2 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":2}');
    expect(made.server.calls).toEqual(["confirm", 'accept {"pieces":2}']);
  });

  it("is told of a decline", async () => {
    const made = calling("confirm");
    await made.run.handle.resume({ key: (await question(made)).key, approve: false });
    expect(await rawOf(made.run)).toContain("decline null");
  });

  it("XOC2: is called again with the answer once the person took longer than the connection", async () => {
    const made = calling("confirm");
    const { status, waits } = await made.run.settle();
    expect(status).toBe("waiting");
    await made.run.clock.advance(WEEKS_MS);
    await made.run.handle.resume({ key: waits[0]?.key ?? "", value: { pieces: 3 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":3}');
    expect(made.server.calls).toEqual(["confirm", "confirm", 'accept {"pieces":3}']);
    expect(made.run.of("wait_opened")).toHaveLength(1);
  });

  it.each([
    ["5 seconds", 5_000, 1],
    ["14 seconds", 14_000, 1],
    ["16 seconds", 16_000, 2],
    ["5 minutes", 300_000, 2],
    ["3 weeks", WEEKS_MS, 2],
  ])("XOC2: takes an answer after %s to the one wait of its question", async (_, ms, calls) => {
    const made = calling("confirm");
    const wait = await question(made);
    await made.run.clock.advance(ms);
    const { status, waits } = await made.run.handle.status();
    expect(waits.map(({ key }) => key)).toEqual([wait.key]);
    expect(status).toBe(calls === 1 ? "running" : "waiting");
    await made.run.handle.resume({ key: wait.key, value: { pieces: 4 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":4}');
    expect(made.server.calls.filter((call) => call === "confirm")).toHaveLength(calls);
    expect(made.run.of("wait_opened")).toHaveLength(1);
  });

  it("XOC1: asks the person again where its question is another one", async () => {
    const made = calling("confirm", {}, { message: (call) => `Call ${call}: how many?` });
    const first = await made.run.settle();
    await made.run.handle.resume({ key: first.waits[0]?.key ?? "", value: { pieces: 3 } });
    const wait = await question(made);
    expect(wait.prompt).toContain("Call 2");
    await made.run.handle.resume({ key: wait.key, value: { pieces: 4 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":4}');
  });

  it("XOC2: is called again after it gave up its question", async () => {
    const made = calling("confirm", {}, { patienceMs: 30 });
    const wait = await question(made);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await quiet(made.run.clock, made.server.underWay);
    expect((await made.run.settle()).status).toBe("waiting");
    await made.run.handle.resume({ key: wait.key, value: { pieces: 5 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":5}');
  });

  it("XOC2: is called again after the process died, and asks the person once", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const server = askingServer();
      const mcps = [mcpServer(SERVER, { fetch: server.fetch })];
      const { crew } = crewCalling([["shop_confirm", {}]], { mcps });
      const answer = () => ({ value: { pieces: 3 } });
      return { program: crew.program(), calls: server.calls, answer };
    });
    expect(JSON.stringify(whole.run.output)).toContain('accept {\\"pieces\\":3}');
    expect(cut.length).toBeGreaterThan(10);
    for (const { run } of cut) expect(run.status).toBe("completed");
    const known = cut.filter(({ run }) => !JSON.stringify(run.output).includes("unknown"));
    expect(known.length).toBeGreaterThan(cut.length - 6);
  });

  it("has a page opened that it requires before the call, and gets the call again", async () => {
    const made = calling("pay");
    const { waits } = await made.run.settle();
    expect(waits[0]?.prompt).toContain("Open https://pay.example.com/1");
    await made.run.handle.resume({ key: waits[0]?.key ?? "", approve: true });
    expect(await rawOf(made.run)).toContain("paid");
    expect(made.server.calls).toEqual(["pay", "pay", "paid"]);
  });

  it("XOC3: has its whole time limit after the answer", async () => {
    const made = calling("confirm", { execution_timeout: 5 });
    const { key } = await question(made);
    await made.run.clock.advance(10_000);
    await made.run.handle.resume({ key, value: { pieces: 2 } });
    expect(await rawOf(made.run)).toContain('accept {"pieces":2}');
    expect(made.server.calls).toEqual(["confirm", 'accept {"pieces":2}']);
  });

  it("loses its connection with the run, which is cancelled meanwhile", async () => {
    const made = calling("confirm");
    await question(made);
    await made.run.handle.cancel();
    await quiet(made.run.clock, made.server.underWay);
    expect(made.server.abandoned).toHaveLength(1);
    expect((await made.run.handle.status()).status).toBe("cancelled");
  });

  it("declines where settings forbid questions", async () => {
    const made = calling("confirm", { elicitation: false });
    expect(await rawOf(made.run)).not.toContain("accept");
    expect(made.run.of("wait_opened")).toEqual([]);
  });
});

describe("a server that asks a model during a call", () => {
  it("is refused unless settings allow it", async () => {
    const made = calling("ponder");
    expect(await rawOf(made.run)).not.toContain("Because");
    expect(made.run.of("tool_failure_detected")).toHaveLength(1);
  });

  it("is answered by the model of its setting, as a step of the run", async () => {
    const model = scriptedModel(["Because."], { id: "side" });
    const made = calling("ponder", { sampling: model });
    expect(await rawOf(made.run)).toContain("Because.");
    expect(JSON.stringify(model.calls[0]?.messages)).toContain("Why?");
    expect(made.run.of("llm_call_started").some(({ path }) => path.includes("/asked:"))).toBe(true);
    expect(made.server.calls).toHaveLength(2);
  });
});
