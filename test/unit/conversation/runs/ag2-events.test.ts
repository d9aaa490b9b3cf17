import { describe, expect, it } from "vitest";
import * as z from "zod";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import type { ChatEvents } from "../../../../src/conversation/events.ts";
import type { Ag2Event, Ag2Type } from "../../../../src/conversation/runs/ag2-contents.ts";
import { ag2Events, Ag2View } from "../../../../src/conversation/runs/ag2-events.ts";
import type { EventOf, LiveEvent, RunEvent } from "../../../../src/events/run-event.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { allEvents, askedSpeaker, speaker } from "../../../support/conversations.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

const look = tool({
  name: "look",
  description: "Looks at a thing.",
  input: z.object({ at: z.string() }),
  run: ({ at }) => {
    if (at === "void") throw new Error("there is nothing");
    return `${at} is full`;
  },
});

async function viewOf(
  events: Iterable<RunEvent | LiveEvent>,
  chat?: string,
): Promise<readonly Ag2Event[]> {
  const seen: Ag2Event[] = [];
  for await (const event of ag2Events(events, chat === undefined ? {} : { chat })) seen.push(event);
  return seen;
}

/** One of our events, as if a run had emitted it, in AG2's form without the envelope's id. */
function drafts<Type extends keyof ChatEvents>(
  ...payloads: readonly (Pick<EventOf<Type>, "type"> & ChatEvents[Type])[]
): readonly unknown[] {
  const view = new Ag2View();
  return payloads.flatMap((payload, index) => {
    const seq = index + 1;
    const base = { seq, id: `chat/round:${seq}:${payload.type}`, at: "", runId: "r" };
    const event = { ...base, path: `chat/round:${seq}`, ...payload } as unknown as RunEvent;
    return view.read(event).map(({ type, content }) => {
      const fields = Object.entries(content).filter(([name]) => name !== "uuid");
      return [type, Object.fromEntries(fields)];
    });
  });
}

const typesOf = (events: readonly Ag2Event[]): readonly Ag2Type[] => events.map(({ type }) => type);

describe("a chat in AG2's envelopes", () => {
  const talk = async () => {
    const bo = speaker("bo", ({ messages }) => {
      if (messages.length === 2)
        return {
          toolCalls: [
            { id: "call_a", name: "look", arguments: { at: "disk" } },
            { id: "call_b", name: "look", arguments: { at: "void" } },
          ],
        };
      return messages.length === 5 ? "The disk is full." : "TERMINATE";
    });
    bo.registerForLlm(look);
    const ana = askedSpeaker("ana", [""], { humanInputMode: "TERMINATE" });
    ana.registerForExecution(look);
    return allEvents(ana.startChat(bo, { message: "Look." }));
  };

  it("AGV2: has messages, calls, results, the end and the completion, in their order (D6.60)", async () => {
    const view = await viewOf(await talk());
    expect(typesOf(view).filter((type) => !type.startsWith("execute"))).toEqual([
      "text",
      "tool_call",
      "using_auto_reply",
      "tool_response",
      "text",
      "using_auto_reply",
      "text",
      "text",
      "termination_and_human_reply_no_input",
      "termination",
      "usage_summary",
      "run_completion",
    ]);
  });

  it("AGV1: names calls by the model's ids, also a failed one", async () => {
    const view = await viewOf(await talk());
    expect(view.find(({ type }) => type === "tool_call")?.content).toMatchObject({
      content: null,
      role: "assistant",
      tool_calls: [
        { id: "call_a", function: { name: "look", arguments: '{"at":"disk"}' }, type: "function" },
        { id: "call_b", type: "function" },
      ],
      sender: "bo",
      recipient: "ana",
    });
    expect(view.find(({ type }) => type === "tool_response")?.content).toMatchObject({
      role: "tool",
      tool_responses: [
        { tool_call_id: "call_a", role: "tool", content: "disk is full" },
        { tool_call_id: "call_b", content: expect.stringContaining("there is nothing") },
      ],
      sender: "ana",
    });
    const executed = view.filter(({ type }) => type === "executed_function");
    expect(executed.map(({ content }) => content)).toMatchObject([
      {
        func_name: "look",
        call_id: "call_a",
        arguments: { at: "disk" },
        content: "disk is full",
        recipient: "ana",
        is_exec_success: true,
      },
      { call_id: "call_b", is_exec_success: false },
    ]);
    expect(view.filter(({ type }) => type === "execute_function")).toHaveLength(2);
  });

  it("AGV2: the completion has the initiator's history, the models' cost, and the last speaker", async () => {
    const { content } = (await viewOf(await talk())).at(-1) as Ag2Event<"run_completion">;
    expect(content.summary).toBe("");
    expect(content.last_speaker).toBe("bo");
    expect(content.history.map(({ role }) => role)).toEqual([
      "assistant",
      "assistant",
      "tool",
      "user",
      "assistant",
      "user",
    ]);
    const { total_cost, models } = content.cost.usage_including_cached_inference;
    const [model] = Object.values(models);
    expect(total_cost).toBe(model?.cost);
    expect(model?.total_tokens).toBeGreaterThan(0);
    expect(content.cost.usage_excluding_cached_inference.models).toEqual(models);
  });

  it("AGV1: a process that dies changes no envelope", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      program: chatProgram([speaker("ana", []), speaker("bo", () => "TERMINATE")], {
        message: "Well?",
      }),
    }));
    const expected = await viewOf(whole.events);
    expect(expected.at(-1)?.type).toBe("run_completion");
    expect(new Set(expected.map(({ content }) => content.uuid)).size).toBe(expected.length);
    expect(expected[0]?.content.uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-/);
    for (const { events } of cut) expect(await viewOf(events)).toEqual(expected);
  });

  it("AGV1: words of a model are streamed, each piece with a uuid of its own", async () => {
    const bo = speaker("bo", ["Several words that stream."], { stream: true });
    const events = await allEvents(
      speaker("ana", []).startChat(bo, { message: "Well?", maxTurns: 1 }),
    );
    const pieces = (await viewOf(events)).filter(
      (event): event is Ag2Event<"stream"> => event.type === "stream",
    );
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map(({ content }) => content.content).join("")).toBe(
      "Several words that stream.",
    );
    expect(new Set(pieces.map(({ content }) => content.uuid)).size).toBe(pieces.length);
  });

  it("AGV2: one chat of a queue ends with its own completion, or with the run's error", async () => {
    const bo = speaker("bo", ["Fine."]);
    const handle = speaker("ana", []).startChat(bo, { message: "one", maxTurns: 1 });
    const events = await allEvents(handle);
    const own = await viewOf(events, "chat");
    expect(typesOf(own)).toEqual([
      "text",
      "text",
      "termination",
      "usage_summary",
      "run_completion",
    ]);
    expect(own.at(-1)?.content).toMatchObject({ summary: "Fine.", last_speaker: "bo" });
    expect(typesOf(await viewOf(events, "chat/chat:2"))).toEqual(["error"]);
  });
});

describe("events of groups in AG2's envelopes", () => {
  it("AGV1: the next speaker, and the way of the selection", () => {
    const mentions = { ana: 1, bo: 2 };
    const attempt = { mentions, attempt: 1, attemptsLeft: 1 };
    const shown = { mentions, attempt: 1, attempts_left: 1 };
    expect(
      drafts<
        | "chat_speaker_attempt"
        | "chat_speaker_selected"
        | "chat_speaker_asked"
        | "chat_speaker_input_refused"
      >(
        { type: "chat_speaker_attempt", outcome: "several", ...attempt },
        { type: "chat_speaker_attempt", outcome: "none", ...attempt },
        { type: "chat_speaker_attempt", outcome: "selected", ...attempt },
        { type: "chat_speaker_asked", agents: ["ana", "bo"] },
        { type: "chat_speaker_input_refused", attempts: 1, isFallback: false },
        { type: "chat_speaker_input_refused", attempts: 3, isFallback: true },
        { type: "chat_speaker_selected", speaker: "bo", cause: "person", round: 2 },
      ),
    ).toEqual([
      ["speaker_attempt_failed_multiple_agents", shown],
      ["speaker_attempt_failed_no_agents", shown],
      ["speaker_attempt_successful", shown],
      ["select_speaker", { agents: ["ana", "bo"] }],
      ["select_speaker_invalid_input", { agents: ["ana", "bo"] }],
      ["select_speaker_try_count_exceeded", { try_count: 3, agents: ["ana", "bo"] }],
      ["group_chat_run_chat", { speaker: "bo" }],
    ]);
  });

  it.each([
    ["context", "on_context_condition_transition"],
    ["model", "on_condition_l_l_m_transition"],
    ["tool", "reply_result_transition"],
    ["after_work", "after_works_transition"],
    ["group_after_work", "after_works_transition"],
    ["function", "after_works_transition"],
  ] as const)("AGV1: a hand-over by %s is %s", (cause, type) => {
    expect(drafts({ type: "chat_handoff", cause, source: "ana", target: "bo" })).toEqual([
      [type, { source_agent: "ana", transition_target: "bo" }],
    ]);
  });

  it("AGV1: events unknown to AG2 are left out", () => {
    expect(
      drafts<"chat_handoff" | "chat_context_changed">(
        { type: "chat_handoff", cause: "guardrail", source: "ana", target: "bo" },
        { type: "chat_context_changed", agent: "ana", set: { n: 1 }, removed: [] },
      ),
    ).toEqual([]);
  });

  it("AGV1: a safeguard names the violation and its action", () => {
    const [violation, action] = drafts({
      type: "chat_safeguard_violated",
      kind: "agent",
      source: "ana",
      target: "bo",
      action: "mask",
      check: "regex",
      message: "a number of an account",
      preview: "DE12",
    });
    expect(violation).toEqual([
      "safeguard",
      {
        event_type: "violation",
        message: "a number of an account",
        source_agent: "ana",
        target_agent: "bo",
        guardrail_type: "regex",
        action: "mask",
        content_preview: "DE12",
      },
    ]);
    expect(action).toMatchObject(["safeguard", { event_type: "action" }]);
  });

  it("AGV1: cleared history, resuming, carryover, and messages in the old format", () => {
    const sent = { sender: "ana", recipient: "bo" };
    expect(
      drafts<
        "chat_history_cleared" | "chat_resumed" | "chat_carryover_added" | "chat_message_sent"
      >(
        { type: "chat_history_cleared", kept: 1, agent: "bo" },
        { type: "chat_resumed", lastSpeaker: "ana", messages: 4 },
        { type: "chat_carryover_added", ...sent, carryover: ["a"], summaryMethod: null },
        {
          type: "chat_message_sent",
          ...sent,
          message: {
            role: "assistant",
            content: null,
            functionCall: { name: "look", arguments: "{}" },
          },
        },
        {
          type: "chat_message_sent",
          ...sent,
          message: { role: "function", content: "full", name: "look" },
        },
      ),
    ).toEqual([
      ["clear_agents_history", { agent: "bo", nr_events_to_preserve: 1 }],
      ["group_chat_resume", { last_speaker_name: "ana", event_count: 4 }],
      [
        "post_carryover_processing",
        { ...sent, carryover: ["a"], message: null, verbose: false, summary_method: "none" },
      ],
      [
        "function_call",
        { ...sent, content: null, function_call: { name: "look", arguments: "{}" } },
      ],
      ["function_response", { ...sent, role: "function", content: "full", name: "look" }],
    ]);
  });
});
