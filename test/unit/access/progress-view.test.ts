import { expect, it } from "vitest";
import { PROGRESS_FIELDS, progressEvent, progressRun } from "../../../src/access/progress-view.ts";
import { eventTypesOf } from "../../../src/parts/event-types.ts";
import { appParts } from "../../support/app-parts.ts";

/** Types of which it is shown that they happened, and nothing else: decided for each. */
const LEFT_OUT = `
  run_resumed run_paused run_held run_cancelled step_changed outside_event_received
  outside_event_refused llm_thinking_chunk agent_warning lite_agent_execution_started lite_agent_execution_completed lite_agent_execution_error
  plan_step_started plan_step_completed step_observation_started step_observation_completed step_observation_failed plan_refinement
  plan_replan_triggered goal_achieved_early skill_loaded skill_activated skill_used skill_load_failed
  llm_guardrail_started llm_guardrail_completed human_feedback_received human_feedback_undecided human_feedback_learning_failed file_warning
  crew_warning task_evaluation flow_state_restored flow_input_requested flow_input_received flow_state_overwritten
  conversation_message_added conversation_route_selected conversation_warning hook_dispatched agent_evaluation_started agent_evaluation_completed
  agent_evaluation_failed chat_message_sent chat_auto_reply_used chat_human_input_empty chat_terminated chat_carryover_added
  chat_history_cleared chat_resumed chat_speaker_attempt chat_speaker_asked chat_speaker_input_refused chat_guardrail_activated
  chat_safeguard_violated chat_reasoning_completed chat_channel_opened chat_channel_acknowledged chat_channel_closed chat_expectation_violated
  chat_rate_limited chat_watch_fired chat_alert_raised chat_task_started chat_task_progressed chat_task_ended
  chat_experts_chosen chat_context_changed tool_result_cut tool_selection_error tool_validate_input_error tool_failure_detected
  memory_query_started memory_query_completed memory_query_failed memory_save_started memory_save_completed memory_save_failed
  memory_retrieval_started memory_retrieval_completed memory_retrieval_failed memory_index_degraded memory_reindex_progress knowledge_query_started knowledge_query_completed
  knowledge_query_failed knowledge_search_query_started knowledge_search_query_completed knowledge_search_query_failed knowledge_document_started knowledge_document_completed
  knowledge_document_failed a2a_delegation_started a2a_delegation_completed a2a_conversation_started a2a_conversation_completed a2a_message_sent
  a2a_response_received a2a_polling_started a2a_polling_status a2a_push_notification_registered a2a_push_notification_received a2a_push_notification_sent
  a2a_push_notification_timeout a2a_streaming_started a2a_streaming_chunk a2a_agent_card_fetched a2a_authentication_failed a2a_artifact_received
  a2a_connection_error a2a_server_task_started a2a_server_task_completed a2a_server_task_canceled a2a_server_task_failed a2a_parallel_delegation_started
  a2a_parallel_delegation_completed a2a_transport_negotiated a2a_content_type_negotiated a2a_context_created a2a_context_expired a2a_context_idle
  a2a_context_completed a2a_context_pruned a2a_artifact_updated mcp_tool_log mcp_connection_started mcp_connection_completed
  mcp_connection_failed mcp_config_fetch_failed
`
  .trim()
  .split(/\s+/);

it("covers every type of event, as shown or as left out (CA7)", () => {
  const decided = [...Object.keys(PROGRESS_FIELDS), ...LEFT_OUT];
  expect(decided.toSorted()).toEqual([...eventTypesOf(appParts)].toSorted());
});

it.each([...Object.keys(PROGRESS_FIELDS), ...LEFT_OUT])(
  "PG1, PG2: shows no secret of %s",
  (type) => {
    const secret = "SECRET";
    const fields = [
      "inputs",
      "taskPrompt",
      "messages",
      "context",
      "toolArgs",
      "toolCall",
      "toolCalls",
      "response",
      "thinking",
      "memoryContent",
      "retrievedKnowledge",
      "query",
      "value",
      "metadata",
      "plan",
      "params",
      "state",
      "feedback",
      "prompt",
      "message",
      "model",
      "by",
      "task",
      "listenerScope",
    ];
    const event = {
      seq: 1,
      type,
      path: "task:a",
      ...Object.fromEntries(fields.map((field) => [field, secret])),
      output: {
        raw: "fine",
        tasks: [{ name: "a", description: secret, raw: "fine" }],
        state: secret,
        messages: [secret],
      },
      error: { code: "model_failed", message: secret, retryable: false },
    };
    const shown = progressEvent(event, { mayAnswer: false });
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown).toMatchObject({ seq: 1, type, path: "task:a" });
  },
);

it("PG2: shows only the type and number of an unknown event", () => {
  const event = { seq: 3, type: "my_own", text: "SECRET" };
  expect(progressEvent(event, { mayAnswer: true })).toEqual({ seq: 3, type: "my_own" });
});

it("PG3: shows waits whole to callers with the scope answer", () => {
  const waits = [{ key: "k", kind: "human", prompt: "Pay?", data: { sum: 3 }, expiresAt: "2026" }];
  const run = { id: "r", waits, inputs: { a: 1 }, usage: { totalTokens: 3, models: { x: 1 } } };
  expect(progressRun(run, { mayAnswer: true })["waits"]).toEqual(waits);
  expect(progressRun(run, { mayAnswer: false })).toEqual({
    id: "r",
    waits: [{ key: "k", kind: "human", expiresAt: "2026" }],
    inputs: {},
    usage: { totalTokens: 3 },
  });
});
