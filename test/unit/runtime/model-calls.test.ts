import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { AgentOptions } from "../../../src/agent/description/agent.ts";
import { EngineError } from "../../../src/base/error.ts";
import { PlatformFault } from "../../../src/base/platform-fault.ts";
import type { RunServices } from "../../../src/events/run-services.ts";
import { on } from "../../../src/hooks/hook.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { callSettings } from "../../../src/llm/call-settings.ts";
import { fallbackModel } from "../../../src/llm/fallback-model.ts";
import { readModelSettings } from "../../../src/llm/model-settings.ts";
import type {
  Script,
  ScriptedModel,
  ScriptedModelOptions,
} from "../../../src/llm/scripted/scripted-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { RunStore } from "../../../src/runtime/run-store.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { openSqlStore } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

const TURNS = 8;

/** Looks something up in each turn, and answers in the last one. */
const turns: Script = ({ messages }) => {
  const answers = messages.filter(({ role }) => role === "tool").length;
  return answers < TURNS - 1 ? calling("look", { n: answers }) : "the answer";
};

function worldOf(
  script: Script,
  options: Partial<AgentOptions> & {
    readonly look?: (n: number) => string;
    readonly recording?: RunServices["recording"];
    readonly contextWindow?: number;
    readonly modelOptions?: ScriptedModelOptions;
  } = {},
): { world: RunWorld; model: ScriptedModel; store: () => RunStore } {
  const { look = (n) => `found ${n}`, recording, contextWindow, ...others } = options;
  const { modelOptions, ...agentOptions } = others;
  const { agent, model } = scriptedAgent(script, {
    tools: [
      tool({
        name: "look",
        description: "Looks something up.",
        input: z.object({ n: z.number() }),
        run: ({ n }) => look(n),
      }),
    ],
    maxIter: 20,
    ...agentOptions,
    modelOptions: {
      ...modelOptions,
      ...(contextWindow === undefined ? undefined : { contextWindow }),
    },
  });
  const program = soloCrew(agent).program();
  const world = new RunWorld(program.run, {
    fixture: openSqlStore(),
    tasks: program.tasks,
    models: modelCatalog({ variables: {} }),
    ...(recording === undefined ? undefined : { services: { recording } }),
  });
  return { world, model, store: () => world.store };
}

/** Each call as the run shows it, beside what the model was sent when it was last asked. */
function shownAndSent(world: RunWorld, model: ScriptedModel) {
  const { look } = world.host.reader;
  const nowMs = world.host.now();
  return look.calls({ limit: 200 }).items.map(({ key }) => {
    const sent = model.calls.findLast(({ idempotencyKey }) => idempotencyKey?.endsWith(`:${key}`));
    const { request, response } = look.call(key, { nowMs });
    return { key, shown: request, response, sent };
  });
}

function expectSame(world: RunWorld, model: ScriptedModel): void {
  const calls = shownAndSent(world, model);
  expect(calls.length).toBeGreaterThan(0);
  for (const { key, shown, sent } of calls) {
    expect([key, shown.messages]).toEqual([key, sent?.messages]);
    expect(shown.recorded).toBe("full");
    expect(shown.tools).toEqual(sent?.request.tools);
  }
}

describe("a model call of a run", () => {
  it("shows the model's request message by message, in every turn (CA17)", async () => {
    const { world, model } = worldOf(turns);
    expect(await world.begin()).toMatchObject({
      status: "completed",
      output: { raw: "the answer" },
    });
    expectSame(world, model);
    const seventh = shownAndSent(world, model)[6];
    expect(seventh).toMatchObject({
      key: "task:work/turn:7/llm",
      response: { toolCalls: [{ name: "look" }] },
    });
    expect(seventh?.shown.messages.length).toBe(14);
  });

  it("after a hook has replaced a request (CA17)", async () => {
    const { world, model } = worldOf(turns, {
      hooks: [
        on("pre_model_call", ({ path, messages }) => {
          if (!path.includes("turn:3")) return;
          messages.splice(0, messages.length, { role: "user", content: "instead" });
          for (let n = 0; n < 3; n++)
            messages.push({ role: "tool", toolCallId: `t${n}`, toolName: "look", content: "x" });
        }),
      ],
    });
    await world.begin();
    expectSame(world, model);
    expect(shownAndSent(world, model)[2]?.shown.messages[0]).toEqual({
      role: "user",
      content: "instead",
    });
  });

  it("after the conversation was summarised (CA17)", async () => {
    const tooLong = { error: new EngineError("context_window_exceeded", "too long") };
    const { world, model } = worldOf(
      ({ messages }) => {
        const [system, user] = messages;
        if (system?.content.startsWith("You shorten")) return "<summary>short</summary>";
        if (user?.content.startsWith("The conversation so far was shortened"))
          return messages.length > 4 ? "the answer" : calling("look", { n: 9 });
        return messages.length > 6 ? tooLong : calling("look", { n: 1 });
      },
      { look: () => "word ".repeat(100), contextWindow: 400 },
    );
    expect(await world.begin()).toMatchObject({ status: "completed" });
    expectSame(world, model);
    const purposes = world.host.reader.look.calls({ limit: 200 }).items.map((call) => call.purpose);
    expect(new Set(purposes)).toEqual(new Set(["turn", "summary"]));
  });

  it("after the process was killed in the middle of the conversation (CA17)", async () => {
    let killed = false;
    const { world, model } = worldOf(turns, {
      look: (n) => {
        if (n === 4 && !killed) {
          killed = true;
          throw new PlatformFault("gone");
        }
        return `found ${n}`;
      },
    });
    await world.begin();
    world.restart();
    await world.clock.advance(60_000);
    expect(await world.rest()).toMatchObject({ status: "completed" });
    expect(killed).toBe(true);
    expectSame(world, model);
  });

  it("in a fork shows copied calls and its own (CA17)", async () => {
    const first = worldOf(turns);
    await first.world.begin();
    const { rows, start } = first.world.host.forks.recordBefore({
      fromStep: "task:work/turn:6/llm",
    });
    const { world, model } = worldOf(turns);
    const origin = { runId: "run-1", before: "task:work/turn:6/llm" };
    expect(await world.begin({ ...start, origin }, rows)).toMatchObject({ status: "completed" });
    const calls = shownAndSent(world, model);
    expect(calls.map(({ sent }) => sent === undefined)).toEqual([
      ...[1, 2, 3, 4, 5].map(() => true),
      ...[6, 7, 8].map(() => false),
    ]);
    const before = shownAndSent(first.world, first.model);
    for (const [index, { shown, sent }] of calls.entries()) {
      expect(shown.messages).toEqual((sent ?? before[index]?.sent)?.messages);
      expect(shown.recorded).toBe("full");
    }
    const steps = world.host.reader.steps({ limit: 200, kinds: ["model"] }).items;
    expect(steps.slice(0, 5).map(({ cause }) => cause)).toEqual(
      [1, 2, 3, 4, 5].map(() => ({ how: "copied", run: "run-1" })),
    );
  });

  it("RR5: in a fork with changed code shows the request as it was sent (CA17)", async () => {
    const first = worldOf(turns);
    await first.world.begin();
    const { rows, start } = first.world.host.forks.recordBefore({
      fromStep: "task:work/turn:6/llm",
    });
    const { world, model } = worldOf(turns, { backstory: "You read only the newest." });
    const origin = { runId: "run-1", before: "task:work/turn:6/llm" };
    expect(await world.begin({ ...start, origin }, rows)).toMatchObject({ status: "completed" });
    const asked = shownAndSent(world, model).slice(5);
    for (const { shown, sent } of asked) {
      expect(shown.messages).toEqual(sent?.messages);
      expect(shown.tools).toEqual(sent?.request.tools);
    }
    expect(JSON.stringify(asked[0]?.shown.messages)).toContain("only the newest");
    expect(asked.map(({ shown }) => shown.recorded)).toEqual(["full", "full", "full"]);
  });

  it("RR6: shows the settings of the model in every turn, without its key, address and headers (CA18)", async () => {
    const settings = callSettings(
      readModelSettings({
        model: "openai/gpt-5-mini",
        temperature: 0.2,
        maxTokens: 300,
        stop: "END",
        responseFormat: { type: "json_object" },
        apiKey: "sk-secret",
        baseUrl: "https://models.example/secret",
        headers: { "x-team": "secret" },
        top_k: 4,
        metadata: { password: "secret" },
      }),
    );
    if (settings === undefined) throw new Error("there are settings");
    const { world, store } = worldOf(turns, { modelOptions: { settings } });
    await world.begin();
    const { look } = world.host.reader;
    for (const turn of [1, 2, TURNS])
      expect(look.call(`task:work/turn:${turn}/llm`, { nowMs: 0 }).request.settings).toEqual({
        temperature: 0.2,
        maxTokens: 300,
        stop: ["END"],
        responseFormat: { type: "json_object" },
        params: { top_k: 4 },
      });
    const requests = store()
      .journal.list(0, 1000)
      .map(({ key }) => store().journal.get(key)?.request ?? "");
    expect(requests.join("")).not.toContain("secret");
    expect(requests.filter((request) => request.includes("temperature"))).toHaveLength(1);
  });

  it("RR6: shows the settings and the price of the model of a list that answered", async () => {
    const refusing = scriptedModel([{ error: new EngineError("model_failed", "down") }], {
      id: "scripted/one",
      settings: { temperature: 0 },
    });
    const answering = scriptedModel(["the answer"], {
      id: "scripted/two",
      settings: { temperature: 1 },
      price: { input: 2, cachedInput: 1, output: 8 },
    });
    const { world } = worldOf([], { llm: fallbackModel([refusing, answering]) });
    expect(await world.begin()).toMatchObject({ status: "completed" });
    expect(world.host.reader.look.call("task:work/turn:1/llm", { nowMs: 0 })).toMatchObject({
      model: "scripted/two",
      request: { settings: { temperature: 1 } },
      price: { model: "scripted/two", inPerMillion: 2, outPerMillion: 8, source: "settings" },
    });
  });

  it("RR4: masks the texts of settings too", async () => {
    const { world } = worldOf(turns, {
      modelOptions: { settings: { instructions: "Never say secret." } },
      recording: { redact: (text) => text.replaceAll("secret", "***") },
    });
    await world.begin();
    const { request } = world.host.reader.look.call("task:work/turn:1/llm", { nowMs: 0 });
    expect(request.settings).toEqual({ instructions: "Never say ***." });
  });

  it("shows its caller, its cost, and its end", async () => {
    const { world } = worldOf(turns);
    const run = await world.begin();
    const calls = world.host.reader.look.calls({ limit: 3 });
    expect(calls.items[0]).toMatchObject({
      key: "task:work/turn:1/llm",
      model: "scripted/model",
      agent: "Researcher",
      task: "work",
      purpose: "turn",
      finishReason: "tool_calls",
      durationMs: 0,
      usage: { requests: 1 },
    });
    const rest = world.host.reader.look.calls({ limit: 200, cursor: calls.nextCursor });
    expect([...calls.items, ...rest.items]).toHaveLength(TURNS);
    expect(run.usageBy).toEqual([
      {
        model: "scripted/model",
        agent: "Researcher",
        task: "work",
        requests: TURNS,
        promptTokens: run.usage.promptTokens,
        completionTokens: run.usage.completionTokens,
        costUsd: 0,
      },
    ]);
    const tools = world.host.reader.steps({ limit: 200, kinds: ["tool"] }).items;
    expect(tools[0]?.cause).toEqual({ how: "asked", key: "task:work/turn:1/llm" });
  });

  it("cuts long messages, and shows one of them whole", async () => {
    const { world } = worldOf(["the answer"], { backstory: "y".repeat(70_000) });
    await world.begin();
    const { look } = world.host.reader;
    const key = "task:work/turn:1/llm";
    const { request } = look.call(key, { nowMs: 0 });
    const { messages } = look.call(key, { nowMs: 0, message: 0 }).request;
    const whole = messages[0]?.content ?? "";
    expect([messages.length, whole.length > 70_000]).toEqual([1, true]);
    expect(request.truncated).toEqual([{ message: 0, length: whole.length }]);
    expect(request.messages[0]?.content).toBe(whole.slice(0, 65_536));
    expect(() => look.call(key, { nowMs: 0, message: 99 })).toThrow(/no message 99/);
    expect(() => look.call("task:work", { nowMs: 0 })).toThrow(/got a task step/);
  });
});

describe("stored requests", () => {
  const kept = async (recording?: RunServices["recording"]) => {
    const { world, store } = worldOf(turns, {
      look: (n) => `secret ${n}`,
      ...(recording === undefined ? undefined : { recording }),
    });
    await world.begin();
    const rows = store().journal.list(0, 1000);
    const requests = rows.map(({ key }) => store().journal.get(key)?.request ?? null);
    return { world, rows, requests };
  };

  it("takes no row more (CA18)", async () => {
    expect((await kept()).rows).toHaveLength((await kept({ requests: "none" })).rows.length);
  });

  it("are empty with requests: none, and calls report it (CA18)", async () => {
    const { world, requests } = await kept({ requests: "none" });
    expect(requests.filter((request) => request !== null)).toEqual([]);
    expect(world.host.reader.look.call("task:work/turn:2/llm", { nowMs: 0 })).toMatchObject({
      request: { messages: [], recorded: "none" },
      response: { finishReason: "tool_calls" },
    });
  });

  it("RR4: are the redacted texts (CA18)", async () => {
    const redact = (text: string): string => text.replaceAll("secret", "***");
    const { world, requests } = await kept({ redact });
    expect(requests.join("")).not.toContain("secret");
    const { request } = world.host.reader.look.call("task:work/turn:3/llm", { nowMs: 0 });
    expect(request.messages.at(-1)?.content).toBe("*** 1");
  });

  it("are empty when redact fails, and the run goes on (CA18)", async () => {
    const { world, requests } = await kept({
      redact: () => {
        throw new Error("no pattern");
      },
    });
    expect(await world.host.status()).toMatchObject({ status: "completed" });
    expect(requests.filter((request) => request !== null)).toEqual([]);
  });

  it("cost only the new messages of each turn (CA18)", async () => {
    const { requests } = await kept();
    const lengths = requests.flatMap((request) => (request === null ? [] : request.length));
    const [first = 0, ...others] = lengths;
    for (const length of others.slice(1)) expect(length).toBeLessThan(first / 2);
  });
});
