// The start of a run, from the request of a front end.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { AnswerSettings } from "../../llm/answer-settings.ts";
import { instructionsContext } from "../../model-calls/caller-instructions.ts";
import { wishesContext } from "../../model-calls/caller-wishes.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { ProtocolRuns } from "../protocol-runs.ts";
import { Refusal } from "./continuation.ts";
import { inputsIn, saidIn } from "./messages.ts";
import type { RunInput } from "./schema.ts";
import { CONVERSATION_FIELDS } from "./shared-state.ts";

/** A request that starts a run. */
export type FirstRequest = {
  /** The run's own id. */
  readonly id: string;
  readonly input: RunInput;
  /** Digest of the request, to recognise it when it is repeated. */
  readonly identity: string;
  readonly settings: AnswerSettings;
};

/** Returns the start of the run. Throws `Refusal` if the subject needs a message and the request has none. */
export function startOf(
  exposed: ExposedSubject,
  { id, input, identity, settings }: FirstRequest,
): Parameters<ProtocolRuns["start"]>[2] {
  const { threadId, runId, parentRunId, tools, forwardedProps } = input;
  const before = input.messages.at(-2);
  const { instructions, history, messages } = saidIn(input);
  if (exposed.subject.messagesInput !== undefined && messages.length === 0)
    throw new Refusal(
      "invalid_input",
      "the last message must be the user's, or the result of a tool",
    );
  const asked = { threadId, runId, ...(parentRunId === undefined ? undefined : { parentRunId }) };
  return {
    id,
    threadId,
    messages,
    history,
    data: inputsIn(input, takenBy(exposed)),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      ...(parameters === undefined ? undefined : { parameters: parameters as JsonObject }),
    })),
    context: {
      ...wishesContext({ stream: true, settings }),
      ...instructionsContext(instructions),
      ...(forwardedProps === undefined ? undefined : { forwardedProps }),
    },
    meta: { agUi: asked },
    own: {
      tools: tools.map(({ name }) => name),
      request: identity,
      ...(before === undefined ? undefined : { follows: before.id }),
    },
  };
}

/**
 * Returns a test for fields of the front end's state that are inputs: for a flow all except those of its conversation,
 * for others the fields of their schema.
 */
function takenBy({ kind, info, subject }: ExposedSubject): (name: string) => boolean {
  if (subject.turn !== undefined) return (name) => name !== "id" && !CONVERSATION_FIELDS.has(name);
  if (kind === "flow") return () => true;
  const { properties = null } = info.inputSchema;
  return (name) => isJsonObject(properties) && Object.hasOwn(properties, name);
}
