import { changedWork } from "../../agent/agent-work.ts";
import { askStructured, outputShape } from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import { checkJudges } from "../../model-calls/judgement.ts";
import { parseToolArguments } from "../../tools/tool-arguments.ts";
import { contentText } from "../messages.ts";
import { screenedReply, screenedRequest } from "../safeguards/screens.ts";
import type { Screening } from "../safeguards/screening.ts";

/** A question to a model for structured data. */
export type DataQuestion = {
  readonly system: string;
  readonly user: string;
  /** A JSON Schema of an object. */
  readonly schema: JsonObject;
  /** The decision, as the end of a sentence that begins with a model's name and "cannot". */
  readonly decides: string;
};

/**
 * Asks a model for data in an agent's name. Question and answer are screened as in the agent's turns. Throws
 * `model_rejected` for a model unable to decide (`capabilities.judges` is false), `output_invalid` for an answer that
 * does not fit, and `agent_failed` for a blocked question or answer.
 */
export async function askForData(
  place: RunScope,
  screening: Screening,
  { system, user, schema, decides }: DataQuestion,
): Promise<JsonObject> {
  const { work } = screening;
  checkJudges(work.model, decides);
  const { value, blocked } = await screenedRequest(place, screening, [
    { role: "system", content: system },
    { role: "user", content: user },
  ]);
  if (blocked !== undefined) throw new EngineError("agent_failed", blocked);
  const [first, ...rest] = value.map(({ content }) => textOfContent(content));
  const json = await askStructured(
    place,
    { system: first ?? "", user: rest.join("\n\n") },
    { shape: outputShape(schema), work: changedWork(work, { decides }) },
  );
  const said = {
    role: "assistant",
    content: JSON.stringify(json),
    name: screening.agent.name,
  } as const;
  const passed = await screenedReply(place, screening, said);
  return objectIn(passed === said ? json : contentText(passed.content));
}

function objectIn(answer: JsonValue): JsonObject {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const parsed = parseToolArguments(text, "text");
  if (parsed.kind === "ok") return parsed.value;
  throw new EngineError("agent_failed", text);
}
