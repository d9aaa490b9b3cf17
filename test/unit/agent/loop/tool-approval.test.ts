import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Wait } from "../../../../src/runtime/run.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { beforeToolCall } from "../../../../src/hooks/hook.ts";
import type { ApprovalContext, NeedsApproval } from "../../../../src/tools/tool-context.ts";
import {
  acting,
  calling,
  lastTold,
  scriptedAgent,
  soloCrew,
  startCrew,
  TEXT_ONLY,
  toldTo,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

function refund(needsApproval: NeedsApproval | undefined, calls: unknown[] = []) {
  return tool({
    name: "refund",
    description: "Pays back.",
    input: z.object({ amount: z.number() }),
    effect: "once",
    ...(needsApproval === undefined ? {} : { needsApproval }),
    run: ({ amount }) => (calls.push(amount), `paid ${amount}`),
  });
}

const anyTool = (name: string) =>
  tool({
    name,
    description: "Does it.",
    input: z.looseObject({}),
    needsApproval: true,
    run: () => "done",
  });

function asking(calls: unknown[], options: { needs?: NeedsApproval } = {}) {
  return scriptedAgent([calling("refund", { amount: 5 }), "done"], {
    tools: [refund(options.needs ?? true, calls)],
  });
}

describe("a tool with approval", () => {
  it("waits for a person, with agent and arguments in the prompt, and then runs", async () => {
    const calls: unknown[] = [];
    const { agent, model } = asking(calls);
    const run = startCrew(soloCrew(agent));
    expect((await run.settle()).waits).toEqual([
      {
        key: "task:work/turn:1/approval:refund#0",
        kind: "human",
        prompt: 'Researcher wants to call refund with {"amount":5}. Approve it?',
        data: {
          tool: "refund",
          arguments: { amount: 5 },
          sha256: createHash("sha256").update('{"amount":5}').digest("hex"),
        },
      },
    ]);
    expect(calls).toEqual([]);
    expect(run.kept("tool_usage_started")).toEqual([]);
    await run.handle.resume({ approve: true });
    await run.output();
    expect(calls).toEqual([5]);
    expect(lastTold(model, 1)).toBe("paid 5");
  });

  it("AP3: shows every field, also after a long one, and marks cut texts", async () => {
    const { agent } = scriptedAgent(
      [
        calling("pay", {
          note: "a".repeat(4_200),
          to: "EVIL",
          deep: { list: ["b".repeat(5_000)] },
          amount: 999_999,
        }),
        "done",
      ],
      { tools: [anyTool("pay")] },
    );
    const [wait] = (await startCrew(soloCrew(agent)).settle()).waits;
    expect(wait?.prompt).toMatch(
      /"note":"a{400}… \[cut: 3800 of 4200 characters\]","to":"EVIL","deep":\{"list":\["b{400}… .*"amount":999999\}\. Approve it\?\nCut in this text, and whole in the data of the wait: \/note, \/deep\/list\/0$/,
    );
    expect(wait?.data).toMatchObject({
      tool: "pay",
      arguments: { note: "a".repeat(4_200), deep: { list: ["b".repeat(5_000)] } },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("AP3: escapes invisible characters", async () => {
    const { agent } = scriptedAgent(
      [calling("pay", { to: "\u202Etnuocca-doog\u200B\u0007\u{E0041}\u2028" }), "done"],
      { tools: [anyTool("pay")], role: "Clerk\u202E" },
    );
    const [wait] = (await startCrew(soloCrew(agent)).settle()).waits;
    expect(wait?.prompt).toBe(
      String.raw`Clerk\u202e wants to call pay with {"to":"\u202etnuocca-doog\u200b\u0007\udb40\udc41\u2028"}. Approve it?`,
    );
    expect(wait?.data).toMatchObject({ arguments: { to: expect.stringContaining("\u202E") } });
  });

  it.each([
    [{ approve: false, feedback: "Ask the boss." }, "a person did not approve it. Ask the boss."],
    [{ approve: false }, "a person did not approve it."],
    [{ feedback: "hm" }, "did not approve it. hm"],
    [{ value: "deny" }, "did not approve it."],
    [{ value: { amount: 1 } }, "did not approve it."],
  ])("AP2: is not run on %j, and the model receives the reason", async (answer, told) => {
    const calls: unknown[] = [];
    const { agent, model } = asking(calls);
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume(answer);
    expect((await run.output()).raw).toBe("done");
    expect(calls).toEqual([]);
    expect(lastTold(model, 1)).toContain(told);
    expect(lastTold(model, 1)).not.toMatch(/\s$/);
  });

  it.each([
    ["toolDenied", { approve: false, feedback: "why" }, "refund"],
    [
      "toolInputEdited",
      { approve: true, value: { amount: 3 } },
      'refund with {"amount":3}: paid 3',
    ],
  ])("PR1: reports %s in the crew's words", async (key, answer, told) => {
    const { agent, model } = asking([]);
    const text = key === "toolDenied" ? "<<{tool}>>" : "<<{tool} with {input}: {result}>>";
    const run = startCrew(soloCrew(agent, { crew: { prompts: { errors: { [key]: text } } } }));
    await run.settle();
    await run.handle.resume(answer);
    await run.output();
    expect(lastTold(model, 1)).toBe(`<<${told}>>`);
  });

  it("takes the word approve as value", async () => {
    const calls: unknown[] = [];
    const run = startCrew(soloCrew(asking(calls).agent));
    await run.settle();
    await run.handle.resume({ value: "approve" });
    await run.output();
    expect(calls).toEqual([5]);
  });

  it("runs with the arguments edited by the person; the model receives them", async () => {
    const calls: unknown[] = [];
    const { agent, model } = asking(calls);
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ approve: true, value: { amount: 2 } });
    await run.output();
    expect(calls).toEqual([2]);
    expect(lastTold(model, 1)).toContain('{"amount":2}');
    expect(lastTold(model, 1)).toContain("paid 2");
    expect(run.kept("tool_usage_started")).toMatchObject([{ toolArgs: { amount: 2 } }]);
  });

  it("AP1: does not delay the other calls of the turn", async () => {
    const ran: string[] = [];
    const other = tool({
      name: "other",
      description: "Other.",
      input: z.object({}),
      run: () => ran.push("other"),
    });
    const batch = {
      toolCalls: [
        { name: "refund", arguments: { amount: 1 } },
        { name: "other", arguments: {} },
        { name: "refund", arguments: { amount: 2 } },
      ],
    };
    const calls: unknown[] = [];
    const { agent, model } = scriptedAgent([batch, "done"], {
      tools: [refund(true, calls), other],
    });
    const run = startCrew(soloCrew(agent));
    const { waits } = await run.settle();
    expect(waits.map(({ key }) => key)).toEqual([
      "task:work/turn:1/approval:refund#0",
      "task:work/turn:1/approval:refund#1",
    ]);
    expect(ran).toEqual(["other"]);
    await run.handle.resume({ key: waits[1]?.key ?? "", approve: true });
    await run.settle();
    expect(calls).toEqual([2]);
    await run.handle.resume({ approve: false, feedback: "no" });
    await run.output();
    expect(ran).toEqual(["other"]);
    expect(
      toldTo(model, 1)
        .slice(-3)
        .map(({ content }) => content),
    ).toEqual([expect.stringContaining("did not approve it. no"), "1", "paid 2"]);
  });

  it("works in the text form", async () => {
    const calls: unknown[] = [];
    const { agent } = scriptedAgent([acting("refund", { amount: 5 }), "Final Answer: x"], {
      tools: [refund(true, calls)],
      modelOptions: TEXT_ONLY,
    });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ approve: true });
    expect((await run.output()).raw).toBe("x");
    expect(calls).toEqual([5]);
  });

  it("a refused call does not count as a use", async () => {
    const calls: unknown[] = [];
    const limited = { ...refund(true, calls), maxUsageCount: 1 };
    const script = [calling("refund", { amount: 1 }), calling("refund", { amount: 2 }), "done"];
    const { agent } = scriptedAgent(script, { tools: [limited] });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ approve: false });
    await run.settle();
    await run.handle.resume({ approve: true });
    await run.output();
    expect(calls).toEqual([2]);
  });
});

describe("the need for approval", () => {
  it("is decided once for each call, with the arguments from the hooks, and the caller", async () => {
    const asked: Array<[JsonObject, ApprovalContext]> = [];
    const needs: NeedsApproval = (input, context) => {
      asked.push([input, context]);
      return Number(input["amount"]) > 10;
    };
    const calls: unknown[] = [];
    const { agent } = scriptedAgent([calling("refund", { amount: 5 }), "done"], {
      tools: [refund(needs, calls)],
      hooks: [beforeToolCall(({ toolInput }) => void (toolInput["amount"] = 50))],
    });
    const run = startCrew(soloCrew(agent));
    expect((await run.settle()).status).toBe("waiting");
    await run.handle.resume({ approve: true });
    await run.output();
    expect(calls).toEqual([50]);
    expect(asked).toMatchObject([
      [{ amount: 50 }, { agentRole: "Researcher", taskName: "work", runId: "run-1" }],
    ]);
  });

  it("lets a call pass when the function returns false, and asks when it throws", async () => {
    const calls: unknown[] = [];
    const free = startCrew(soloCrew(asking(calls, { needs: async () => false }).agent));
    await free.output();
    expect(calls).toEqual([5]);
    const broken = startCrew(
      soloCrew(
        asking(calls, {
          needs: () => {
            throw new Error("broken");
          },
        }).agent,
      ),
    );
    expect((await broken.settle()).status).toBe("waiting");
  });

  it.each<[string, true | string[], string]>([
    ["all tools", true, "waiting"],
    ["a tool by any spelling", ["Refund"], "waiting"],
    ["another tool", ["other"], "completed"],
  ])("is an agent's word, too: approveTools of %s", async (_, approveTools, status) => {
    const { agent } = scriptedAgent([calling("refund", { amount: 5 }), "done"], {
      tools: [refund(undefined)],
      approveTools,
    });
    expect((await startCrew(soloCrew(agent)).settle()).status).toBe(status);
  });
});

it("DC2: a host that dies at any stored step repeats no question, and pays once", async () => {
  const { whole, cut } = await cutAfterEveryResult(() => {
    const calls: string[] = [];
    const noted = tool({
      name: "refund",
      description: "Pays back.",
      input: z.object({ amount: z.number() }),
      needsApproval: ({ amount }) => (calls.push(`needed ${JSON.stringify(amount)}`), true),
      run: ({ amount }) => (calls.push(`paid ${amount}`), "paid"),
    });
    const script = [calling("refund", { amount: 1 }), calling("refund", { amount: 2 }), "done"];
    const { agent } = scriptedAgent(script, { tools: [noted] });
    const answer = ({ prompt }: Wait) => ({
      approve: prompt?.includes('{"amount":1}') ?? false,
    });
    return { program: soloCrew(agent).program(), calls, answer };
  });
  expect(whole.run.status).toBe("completed");
  expect(whole.calls).toEqual(["needed 1", "paid 1", "needed 2"]);
  for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
});
