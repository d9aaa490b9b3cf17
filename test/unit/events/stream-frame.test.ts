import { expect, it } from "vitest";
import { channelOf } from "../../../src/events/stream-frame.ts";

it.each([
  ["llm_stream_chunk", "llm"],
  ["llm_call_failed", "llm"],
  ["conversation_message_added", "messages"],
  ["flow_started", "flow"],
  ["method_execution_finished", "flow"],
  ["tool_usage_error", "tools"],
  ["tool_execution_error", "tools"],
  ["task_failed", "lifecycle"],
  ["agent_execution_error", "lifecycle"],
  ["task_started", "custom"],
])("%s goes to the channel %s", (type, channel) => {
  expect(channelOf(type)).toBe(channel);
});
