// Agents of crews that hand over by their models.
import { expect, it } from "vitest";
import * as z from "zod";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { handoffNotice } from "../../../../src/conversation/targets/handoff-messages.ts";
import { onCondition } from "../../../../src/conversation/targets/handoffs.ts";
import { startGroupChat } from "../../../../src/conversation/groups/initiate-group-chat.ts";
import { groupChatProgram } from "../../../support/group-chat-program.ts";
import { DefaultPattern } from "../../../../src/conversation/groups/patterns.ts";
import {
  agentTarget,
  nestedChatTarget,
  type TransitionTarget,
} from "../../../../src/conversation/targets/targets.ts";
import type { AgentOptions } from "../../../../src/agent/description/agent-options.ts";
import type { Script, ScriptedModelOptions } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { allEvents, counting, lines } from "../../../support/conversations.ts";
import { acting, calling, scriptedAgent, TEXT_ONLY } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

type Options = Partial<AgentOptions> & { readonly modelOptions?: ScriptedModelOptions };

/** A crew's agent that may hand over to `target`, first in a group with `billing`. */
function desk(
  script: Script,
  options: Options = {},
  target: TransitionTarget = agentTarget("billing"),
) {
  const { agent, model } = scriptedAgent(script, { role: "Desk", ...options });
  const member = ConversableAgent.of(agent).registerHandoffs(
    onCondition({ target, condition: "It is about money." }),
  );
  const pattern = new DefaultPattern({
    agents: [member, counting("billing")],
    initialAgent: agent,
  });
  return { pattern, model, agent };
}

async function course({ pattern }: ReturnType<typeof desk>) {
  const run = startGroupChat({ pattern, messages: "I was charged twice", maxRounds: 5 });
  const events = await allEvents(run);
  const handoffs = events.flatMap((event) =>
    event.type === "chat_handoff" ? [`${event.cause} ${event.source} ${event.target}`] : [],
  );
  return { ...(await run.output()), handoffs };
}

const looking = (calls: string[] = []) =>
  tool({
    name: "look",
    description: "Looks an account up.",
    input: z.object({ id: z.string() }),
    run: ({ id }) => {
      calls.push(id);
      return "two charges of 9 EUR";
    },
  });

it("LPR3: a call for a hand-over ends its loop, with its note as the message", async () => {
  const handed = desk(
    ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? calling("transfer_to_billing_1", { message: "Two charges, one is wrong." })
        : calling("look", { id: "7" }),
    { tools: [looking()] },
  );
  const { messages, handoffs, lastSpeaker } = await course(handed);
  expect(lines(messages)).toEqual([
    "user: I was charged twice",
    "Desk: Two charges, one is wrong.",
    "billing: billing 3",
  ]);
  expect(handoffs[0]).toBe("model Desk billing");
  expect(lastSpeaker).toBe("billing");
  const offered = handed.model.calls[0]?.request.tools ?? [];
  expect(offered.map(({ name }) => name)).toEqual(["look", "transfer_to_billing_1"]);
  expect(offered[1]?.description).toContain("It is about money.");
});

it("LPR3: a hand-over without a note has a notice, also from a model with calls in text", async () => {
  const native = await course(desk([calling("transfer_to_billing_1")]));
  const written = await course(
    desk([acting("transfer_to_billing_1")], { modelOptions: TEXT_ONLY }),
  );
  for (const { messages } of [native, written])
    expect(lines(messages).slice(1)).toEqual([
      `Desk: ${handoffNotice(agentTarget("billing"))}`,
      "billing: billing 3",
    ]);
});

it("LPR3: a hand-over refused by its guardrails does not count", async () => {
  const handed = desk([calling("transfer_to_billing_1", { message: "no" }), "It is settled."], {
    guardrail: ({ raw }) => (raw.length > 5 ? [true, raw] : [false, "too short"]),
  });
  const { messages, handoffs } = await course(handed);
  expect(lines(messages).slice(1)).toEqual(["Desk: It is settled."]);
  expect(handoffs.filter((each) => each.startsWith("model"))).toEqual([]);
});

it("LPR3: it hands over to nested chats, which answer in its place, and continues", async () => {
  const target = nestedChatTarget([{ recipient: "billing", maxTurns: 1 }]);
  let asked = 0;
  const { messages } = await course(
    desk(
      ({ tools }) => (++asked === 1 ? calling(tools?.[0]?.name ?? "no tools") : "Done."),
      {},
      target,
    ),
  );
  expect(lines(messages).at(-1)).toBe("Desk: Done.");
  expect(messages).toHaveLength(4);
});

it("LPR3: wherever the process dies, it hands over to the same member, and its tools run once", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() => {
    const calls: string[] = [];
    const { pattern } = desk(
      ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? calling("transfer_to_billing_1", { message: "Here." })
          : calling("look", { id: "7" }),
      { tools: [looking(calls)] },
    );
    return { calls, program: groupChatProgram({ pattern, messages: "Hi", maxRounds: 4 }) };
  });
  expect(whole.run.error).toBeUndefined();
  expect(whole.run.output).toMatchObject({ lastSpeaker: "billing" });
  expect(cut.length).toBeGreaterThan(6);
  for (const { course: each } of cut) expect(each).toEqual(whole.course);
});
