import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { D1CallerCounts } from "../../../src/cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../../../src/cloudflare/stores/d1-thread-store.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import {
  owedTo,
  ProtocolRuns,
  runIdFor,
  type ProtocolStart,
} from "../../../src/protocols/protocol-runs.ts";
import type { ThreadMessage } from "../../../src/protocols/thread-store.ts";
import { toolCallsOf } from "../../../src/protocols/run-state.ts";
import { askingScript, HttpWorld } from "../../support/http-app.ts";

const assistant = new Agent({ role: "Assistant", goal: "Help", backstory: "Kind." });
const CALLER = { tenant: "default", callerId: "key" };

function worldOf(script?: Script) {
  const world = new HttpWorld({ agents: { assistant }, ...(script && { script }) });
  const stores = {
    threads: () => new D1ThreadStore(world.services.env.DB),
    counts: () => new D1CallerCounts(world.services.env.DB),
  };
  const open = (protocol = "test", limits = {}) =>
    new ProtocolRuns(protocol, world.services, { options: { expose: "all", limits }, stores });
  const runs = open();
  const start = async (name: string, request: Partial<ProtocolStart> & { text?: string }) => {
    const { text = "hello", ...rest } = request;
    const messages = [{ id: `m:${text}`, role: "user", content: text } as const];
    const started = await runs.start(CALLER, await runs.exposure.find("default", name), {
      messages,
      ...rest,
    });
    await world.clock.settle();
    return started;
  };
  return { world, runs, start, open };
}

describe("runs of a protocol", () => {
  it("RN1: the same identity starts one run, and another subject's is a conflict", async () => {
    const { start, world } = worldOf();
    const id = runIdFor("default", "message-1");
    expect((await start("assistant", { id })).isNew).toBe(true);
    const again = await start("assistant", { id });
    expect([again.isNew, again.run.status]).toEqual([false, "completed"]);
    expect(world.model.calls).toHaveLength(1);
    await expect(start("greeting", { id })).rejects.toMatchObject({ code: "conflict" });
    expect(runIdFor("a", "bc")).not.toBe(runIdFor("ab", "c"));
  });

  it("RN1: a repeated request starts the run its first try did not reach", async () => {
    const { start, world } = worldOf();
    const { runs } = world;
    const begin = runs.start.bind(runs);
    runs.start = () => Promise.reject(new Error("cut off"));
    await expect(start("assistant", { id: "one" })).rejects.toThrow("cut off");
    runs.start = begin;
    expect((await start("assistant", { id: "one" })).isNew).toBe(true);
    expect(world.model.calls).toHaveLength(1);
  });

  it("RN2: the thread and its messages are stored before the run begins", async () => {
    const { start, runs, world } = worldOf();
    const found: unknown[] = [];
    const begin = world.runs.start.bind(world.runs);
    world.runs.start = async (given) => {
      found.push(await runs.threads.messages("default", { runId: given.id }, 9));
      return begin(given);
    };
    await start("assistant", { id: "one", text: "first" });
    expect(found).toMatchObject([[{ content: "first" }]]);
  });

  it("RN3: the next run of a thread gets the earlier messages, answers included", async () => {
    const { start, world } = worldOf(({ messages }) => `answer ${messages.length}`);
    await start("assistant", { threadId: "t", text: "one" });
    await start("assistant", { threadId: "t", text: "two" });
    const said = world.model.calls[1]?.messages.map(({ content }) => content) ?? [];
    expect(said.slice(1, 3)).toEqual(["one", "answer 2"]);
    expect(said.at(-1)).toContain("two");
    await start("assistant", { threadId: "other", text: "three" });
    expect(world.model.calls[2]?.messages).toHaveLength(2);
  });

  it("RN3: another tenant's thread of the same name is another thread", async () => {
    const { runs, start } = worldOf();
    await start("assistant", { threadId: "t", text: "secret" });
    expect(await runs.log.history("other", "t")).toEqual([]);
    expect(await runs.log.history("default", "t")).toHaveLength(2);
  });

  it("RN4: an answer goes to the question, and both are stored", async () => {
    const { start, runs, world } = worldOf(askingScript("Which one?"));
    const { run } = await start("briefing", { text: "ships" });
    const found = await runs.find("default", run.id);
    expect(found.run.waits).toMatchObject([{ prompt: "Which one?" }]);
    const message = { id: "m2", role: "user", content: "the blue one" } as const;
    await runs.answer("default", found, { message });
    await world.clock.settle();
    expect(world.model.calls[1]?.messages.at(-1)?.content).toContain("the blue one");
    const said = await runs.threads.messages("default", { runId: run.id }, 9);
    expect(said.map(({ role, content }) => `${role}: ${content as string}`)).toEqual([
      "user: ships",
      "agent: Which one?",
      "user: the blue one",
    ]);
  });

  it("RN4: a run without a question takes no answer", async () => {
    const { start, runs } = worldOf();
    const { run } = await start("assistant", {});
    const found = await runs.find("default", run.id);
    const message = { id: "m", role: "user", content: "more" } as const;
    await expect(runs.answer("default", found, { message })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("RN4: an answer lost before the run got it is still due to that run only", async () => {
    const { start, runs, world } = worldOf(askingScript("Which one?"));
    const { run } = await start("briefing", { text: "ships" });
    const found = await runs.find("default", run.id);
    const resume = world.runs.resume.bind(world.runs);
    Object.assign(world.runs, { resume: () => Promise.reject(new Error("cut off")) });
    const message = { id: "m2", role: "user", content: "the blue one" } as const;
    const [open] = found.run.waits;
    await expect(runs.answer("default", found, { message, wait: open })).rejects.toThrow("cut off");
    Object.assign(world.runs, { resume });
    const kept = await runs.threads.messages("default", { runId: run.id }, 9);
    const [first, , answer] = kept;
    expect(owedTo(found.run, first as ThreadMessage)).toBeUndefined();
    const wait = owedTo(found.run, answer as ThreadMessage);
    expect(wait?.key).toBe(found.run.waits[0]?.key);
    await runs.answer("default", found, { message, wait });
    await world.clock.settle();
    expect(world.model.calls[1]?.messages.at(-1)?.content).toContain("the blue one");
    const { run: now } = await runs.find("default", run.id);
    expect(owedTo(now, answer as ThreadMessage)).toBeUndefined();
    expect(await runs.threads.messages("default", { runId: run.id }, 9)).toEqual(kept);
  });

  it("finds only runs of its own protocol and tenant", async () => {
    const { start, runs, open, world } = worldOf();
    const { run } = await start("assistant", {});
    await expect(open("other").find("default", run.id)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(runs.find("acme", run.id)).rejects.toMatchObject({ code: "not_found" });
    const other = await world.kickoff("greeting");
    await expect(runs.find("default", other)).rejects.toMatchObject({ code: "not_found" });
    for (const id of ["", "../x", "a".repeat(65), "__proto__"])
      await expect(runs.find("default", id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("counts starts against the limits", async () => {
    const { open } = worldOf();
    const runs = open("test", { perMinute: 1 });
    const exposed = await runs.exposure.find("default", "assistant");
    const messages = [{ id: "m", role: "user", content: "x" } as const];
    await runs.start(CALLER, exposed, { messages });
    await expect(runs.start(CALLER, exposed, { messages })).rejects.toMatchObject({
      code: "rate_limited",
    });
  });
});

describe("tools of the caller", () => {
  const pick = {
    name: "pick_colour",
    description: "Lets the person pick a colour.",
    parameters: {
      type: "object",
      properties: { of: { type: "string" } },
      required: ["of"],
      additionalProperties: false,
    },
  };
  const picking: Script = ({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "tool"
      ? `They picked ${last.content}`
      : { toolCalls: [{ name: "pick_colour", arguments: { of: "the sky" } }] };
  };

  it("CO2: a call is a wait with tool and arguments; its answer is the result", async () => {
    const { start, runs, world } = worldOf(picking);
    const { run } = await start("assistant", { tools: [pick] });
    const { run: waiting } = await runs.find("default", run.id);
    const [call] = toolCallsOf(waiting);
    expect(call).toMatchObject({ tool: "pick_colour", arguments: { of: "the sky" } });
    expect(JSON.stringify(waiting.inputs)).not.toContain("pick_colour");
    const result = { key: call?.key ?? "", content: { colour: "blue" } };
    expect(await runs.answerTool("default", waiting, result)).toBe(true);
    await world.clock.settle();
    const { run: done } = await runs.find("default", run.id);
    expect(done.output).toMatchObject({ raw: 'They picked {"colour":"blue"}' });
    expect(await runs.answerTool("default", done, result)).toBe(false);
  });

  it("CO2: an error from the caller reaches the model", async () => {
    const { start, runs, world } = worldOf(picking);
    const { run } = await start("assistant", { tools: [pick] });
    const { run: waiting } = await runs.find("default", run.id);
    const key = toolCallsOf(waiting)[0]?.key ?? "";
    await runs.answerTool("default", waiting, { key, error: "the page was closed" });
    await world.clock.settle();
    const { run: done } = await runs.find("default", run.id);
    expect(JSON.stringify(done.output)).toContain("the page was closed");
  });

  it("CO1: agents of a crew are offered them too", async () => {
    const { start, runs } = worldOf(picking);
    const { run } = await start("greeting", { tools: [pick] });
    const { run: waiting } = await runs.find("default", run.id);
    expect(toolCallsOf(waiting)).toMatchObject([{ tool: "pick_colour" }]);
  });

  it("CO1: a tool of the agent's own takes precedence", async () => {
    const { start, world } = worldOf();
    await start("briefing", { tools: [{ ...pick, name: "ask" }] });
    const [request] = world.model.calls;
    expect(request?.request.tools?.filter(({ name }) => name === "ask")).toMatchObject([
      { description: "Ask a person." },
    ]);
  });

  it.each([[{ name: "" }], [{ name: "x", parameters: { type: "array" } }]])(
    "refuses the tool %j before anything is started",
    async (broken) => {
      const { start, world } = worldOf();
      await expect(start("assistant", { tools: [broken] })).rejects.toMatchObject({
        code: "invalid_input",
      });
      expect(world.model.calls).toHaveLength(0);
    },
  );
});
