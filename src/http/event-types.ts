import { agentEvents } from "../agent/events.ts";
import { crewEvents } from "../crew/events.ts";
import { evaluationEvents } from "../evaluation/events.ts";
import { CORE_EVENT_TYPES } from "../events/run-event.ts";
import { conversationEvents } from "../flow/conversational/events.ts";
import { flowEvents } from "../flow/events.ts";
import { hookEvents } from "../hooks/events.ts";
import { knowledgeEvents } from "../knowledge/events.ts";
import { memoryEvents } from "../memory/events.ts";
import { toolEvents } from "../tools/events.ts";

/** Every type of event, for checking the types that a request names. */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  ...CORE_EVENT_TYPES,
  ...hookEvents,
  ...toolEvents,
  ...agentEvents,
  ...crewEvents,
  ...evaluationEvents,
  ...flowEvents,
  ...conversationEvents,
  ...memoryEvents,
  ...knowledgeEvents,
]);
