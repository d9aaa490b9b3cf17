// A remote agent as a tool for the model: `{ message }`.
//
//   AXT1. Calls within one piece of work are one conversation: the tool keeps its context and open task.
//   AXT2. A question of the remote agent is the tool's result, so the model answers with another call.
//   AXT3. After `maxTurns` messages the tool sends no more, and returns the last answer to the model.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { JsonValue } from "../../../base/json.ts";
import { RunScope } from "../../../events/run-scope.ts";
import { toolFailure } from "../../../tools/tool-failure.ts";
import { tool, type Tool } from "../../../tools/tool.ts";
import type { Conversation, Turn } from "./conversation.ts";

/** Creates the tool for a remote agent. */
export function askTool(name: string, conversation: Conversation): Tool {
  const { card, config } = conversation.peer;
  const made = tool({
    name,
    description: descriptionOf(conversation),
    input: z.object({
      message: z
        .string()
        .min(1)
        .describe("What to ask or tell the agent, with everything that it has to know"),
    }),
    cache: () => false,
    allowRepeat: true,
    format: (result) => (result as Turn).text,
    run: async ({ message }) => {
      const place = RunScope.current();
      if (place === undefined)
        throw new EngineError("conflict", `tool "${name}" can be called in a run only`);
      if (conversation.isOver)
        return toolFailure({
          message: `The conversation with ${card.name} has reached its limit of ${config.maxTurns} messages. Its last words were: ${conversation.last || "(none)"}. Go on with what there is.`,
          code: "max_turns",
        });
      const turn = await conversation.say(place, message);
      return resultFor(turn, conversation);
    },
  });
  return {
    ...made,
    recorded: (result: JsonValue) => conversation.take(result as unknown as Turn),
  };
}

/** Returns the result for the model: an answer, a question, or a failure. */
function resultFor(turn: Turn, { peer }: Conversation): Turn | ReturnType<typeof toolFailure> {
  const { card } = peer;
  switch (turn.state) {
    case "completed":
      return { ...turn, text: turn.text || `${card.name} has done it and said nothing.` };
    case "input_required":
      return {
        ...turn,
        text: `${card.name} asks before it goes on: ${turn.text || "Additional input required"}\nAnswer it by calling this tool again.`,
      };
    case "auth_required":
      return toolFailure({
        message: `${card.name} needs credentials that were not given to it: ${turn.text || "it did not say which"}`,
        code: "auth_required",
      });
    default:
      return toolFailure({
        message: `${card.name} did not do it (${turn.state}): ${turn.text || "it gave no reason"}`,
        code: turn.state,
      });
  }
}

function descriptionOf({ peer }: Conversation): string {
  const { name, description, skills } = peer.card;
  const lines = [`Ask the agent "${name}", who works elsewhere. ${description}`.trim()];
  for (const skill of skills)
    lines.push(
      `- ${skill.name || skill.id}${skill.description === "" ? "" : `: ${skill.description}`}`,
    );
  lines.push("It knows nothing of this conversation but what is in the messages to it.");
  return lines.join("\n");
}
