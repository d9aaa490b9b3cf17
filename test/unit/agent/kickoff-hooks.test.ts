// An agent on its own: hooks, failure policies, listeners, fingerprints, images, as in a crew.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { AgentMessages } from "../../../src/agent/run-agent.ts";
import type { AgentOutput } from "../../../src/agent/agent-output.ts";
import { onEvent } from "../../../src/events/listener.ts";
import { HookAborted, on, type Hook } from "../../../src/hooks/hook.ts";
import { withHooks } from "../../../src/hooks/scoped-hooks.ts";
import type { Message } from "../../../src/llm/language-model.ts";
import type { ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { toolFailure } from "../../../src/tools/tool-failure.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, runCrewToEnd, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";

const broken = tool({
  name: "broken",
  description: "Breaks.",
  input: z.object({}),
  run: () => toolFailure({ message: "no power" }),
});

const sentTo = (model: ScriptedModel, call: number): readonly Message[] =>
  model.calls[call]?.messages ?? [];

describe("hooks of an agent on its own", () => {
  it("RA3: see and change the request and the output, in this order", async () => {
    const seen: string[] = [];
    const hooks: Hook[] = [
      on("execution_start", ({ payload }) => {
        seen.push(`start ${JSON.stringify(payload)}`);
        payload["inputs"] = { topic: "tea" };
      }),
      on("input", ({ payload }) => ({ ...payload, messages: "on {topic}" })),
      on("pre_model_call", ({ agentRole, messages }) => {
        seen.push(`call ${agentRole} ${messages[1]?.content as string}`);
      }),
      on("post_model_call", ({ response }) => `${response}!`),
      on("output", ({ payload }) => ({ ...payload, raw: `${payload.raw}?` })),
      on("execution_end", ({ status, output }) => void seen.push(`${status} ${output?.raw}`)),
    ];
    const { agent } = scriptedAgent(["well"], { hooks, role: "Expert on {topic}" });
    expect(await agent.kickoff("hi")).toMatchObject({ raw: "well!?", agentRole: "Expert on tea" });
    expect(seen).toEqual([
      'start {"messages":"hi","inputs":{}}',
      "call Expert on tea on tea",
      "completed well!?",
    ]);
  });

  it("undo invalid requests and outputs", async () => {
    const hooks = [
      on("execution_start", () => ({ messages: [], inputs: {} })),
      on("output", () => ({ raw: 7 }) as never),
    ];
    expect((await scriptedAgent(["well"], { hooks }).agent.kickoff("hi")).raw).toBe("well");
  });

  it("may end it; its end is reported once", async () => {
    const ends: string[] = [];
    const end = on(
      "execution_end",
      ({ status, error }) => void ends.push(`${status} ${error?.code}`),
    );
    for (const point of ["execution_start", "input", "pre_model_call", "output"] as const) {
      const stop = on(point, () => {
        throw new HookAborted("not today");
      });
      const { agent } = scriptedAgent(["well"], { hooks: [stop, end] });
      await expect(agent.kickoff("hi")).rejects.toMatchObject({ code: "hook_aborted" });
    }
    expect(ends).toEqual(Array.from({ length: 4 }, () => "failed hook_aborted"));
  });

  it("withHooks: apply to it, alone and within a run it joins", async () => {
    const paths: string[] = [];
    const hook = on("pre_model_call", ({ path }) => void paths.push(path));
    await withHooks([hook], () => scriptedAgent(["x"]).agent.kickoff("hi"));
    const started = withHooks([hook], () => scriptedAgent(["x"]).agent.start("hi"));
    await started.output();
    const inner = scriptedAgent(["x"], { role: "Helper" });
    const help = tool({
      name: "help",
      description: "Helps.",
      input: z.object({}),
      run: async () => (await withHooks([hook], () => inner.agent.kickoff("hi"))).raw,
    });
    await runCrewToEnd(soloCrew(scriptedAgent([calling("help"), "y"], { tools: [help] }).agent));
    expect(paths).toEqual(["turn:1", "turn:1", "task:work/turn:1/tool:help#0/agent:Helper/turn:1"]);
  });

  it("HK1: are not called again in replay", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const hooks = (
        ["execution_start", "input", "pre_tool_call", "output", "execution_end"] as const
      ).map((point) => on(point, () => void calls.push(point)));
      const { agent, model } = scriptedAgent(
        ({ messages }) => (messages.length < 4 ? calling("broken") : "the end"),
        { tools: [broken], hooks },
      );
      return {
        inputs: { messages: "go" },
        program: agent.program(),
        get calls() {
          return [...calls, ...model.calls.map((call) => call.idempotencyKey ?? "")];
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run } = whole;
    expect(run.output).toMatchObject({ usage: { requests: 2 }, toolFailures: [{}] });
    expect(run.usage.requests).toBe(2);
  });
});

describe("an agent on its own", () => {
  it("reports failures of tools; `raise` ends it", async () => {
    const script = [calling("broken"), "the end"];
    const warned = await scriptedAgent(script, { tools: [broken] }).agent.kickoff("go");
    expect(warned.toolFailures).toMatchObject([
      { toolName: "broken", failure: { message: "no power" }, agentRole: "Researcher" },
    ]);
    const { agent, model } = scriptedAgent(script, { tools: [broken], toolFailurePolicy: "raise" });
    await expect(agent.kickoff("go")).rejects.toMatchObject({ code: "tool_failure_raised" });
    expect(model.calls).toHaveLength(1);
    const quiet: AgentOutput = await scriptedAgent(["x"]).agent.kickoff("go");
    expect(quiet).not.toHaveProperty("toolFailures");
  });

  it("reaches the listeners of its run, and tools receive its fingerprint", async () => {
    const heard: string[] = [];
    const who = tool({
      name: "who",
      description: "Who asks?",
      input: z.object({}),
      run: (_, { security }) => {
        heard.push(security?.agentFingerprint.uuid ?? "nobody");
        return "noted";
      },
    });
    const { agent } = scriptedAgent([calling("who"), "x"], {
      tools: [who],
      securityConfig: "seed",
    });
    const listeners = [
      onEvent("lite_agent_execution_completed", ({ output }) => heard.push(output)),
    ];
    await agent.start("hi", { listeners }).output();
    expect(heard).toEqual([agent.fingerprint.uuid, "x"]);
  });

  it("does not begin without the variables required by its tools", async () => {
    const needy = tool({
      name: "needy",
      description: "Needs.",
      input: z.object({}),
      envVars: [{ name: "NO_SUCH_KEY", description: "a key" }],
      run: () => "x",
    });
    const { agent, model } = scriptedAgent(["x"], { tools: [needy] });
    await expect(agent.kickoff("hi")).rejects.toThrowError("NO_SUCH_KEY (a key)");
    expect(model.calls).toHaveLength(0);
  });

  it("accepts images and files in user messages, and fills placeholders in their texts", async () => {
    const image = { type: "image", data: "aGk=", mediaType: "image/png" } as const;
    const file = { type: "file", url: "https://example.com/a.pdf", name: "a.pdf" } as const;
    const { agent, model } = scriptedAgent(["bad", "good"], {
      guardrail: ({ raw }) => (raw === "good" ? [true, raw] : [false, "no"]),
    });
    const messages: AgentMessages = [
      { role: "user", content: [image] },
      { role: "assistant", content: "Seen." },
      { role: "user", content: [file, { type: "text", text: "And {what}?" }] },
    ];
    const events: unknown[] = [];
    const handle = agent.start(messages, { inputs: { what: "this" } });
    const output = (await handle.output()) as AgentOutput;
    for await (const event of handle.events())
      if (event.type === "lite_agent_execution_started") events.push(event);
    expect(sentTo(model, 0).slice(1)).toMatchObject([
      { role: "user", content: [image] },
      { role: "assistant", content: "Seen." },
      { role: "user", content: [{ type: "text", text: "And this?" }, file] },
    ]);
    expect(sentTo(model, 1).slice(1, 4)).toMatchObject([
      { content: [image] },
      {},
      { content: [{ type: "text", text: "And this?" }, file] },
    ]);
    expect(sentTo(model, 1).at(-1)?.content).toEqual(expect.stringContaining("no"));
    expect(output.messages).toHaveLength(7);
    expect(events).toMatchObject([
      { messages: [{ content: "[multimodal content]" }, {}, { content: "And this?" }] },
    ]);
  });

  it.each([
    [[{ role: "system", content: [] }], "messages.0.content must be a text, got []"],
    [[{ role: "user", content: [] }], "messages.0.content must be a text, or a list of at least"],
    [[{ role: "user", content: ["x"] }], "messages.0.content.0 must be an object with a type"],
    [
      [{ role: "user", content: [{ type: "sound" }] }],
      'messages.0.content.0 must have the type "text", "image", "file", "audio" or "video", got {"type":"sound"}',
    ],
    [[{ role: "user", content: [{ type: "text" }] }], "messages.0.content.0 must have a text"],
    [
      [{ role: "user", content: [{ type: "image", data: "aGk=" }] }],
      "messages.0.content.0 must have a url, or data in base64 and its mediaType",
    ],
  ])("refuses %j", async (messages, message) => {
    const given = messages as unknown as AgentMessages;
    await expect(scriptedAgent([]).agent.kickoff(given)).rejects.toThrowError(message);
  });
});
