// Asks a run's questions at a terminal.
//
//   ASK1. An answer has the form that its question wants: one of the choices, a value of the schema, or text with a yes
//         or no. After an invalid answer the question is repeated.
import { validateJsonSchema } from "../base/json-schema.ts";
import { isJsonObject, jsonOrText, type JsonObject, type JsonValue } from "../base/json.ts";
import type { ResumeRequest, Wait } from "../client/index.ts";
import { plain } from "./output.ts";
import type { Prompter } from "./prompter.ts";

/** Returns the waits for people. */
export function questionsOf(waits: readonly Wait[]): readonly Wait[] {
  return waits.filter(({ kind }) => kind === "human" || kind === "input");
}

/** Asks one question. The signal withdraws it. */
export async function ask(
  prompt: Prompter,
  wait: Wait,
  signal: AbortSignal,
): Promise<ResumeRequest> {
  const { key, choices, schema, declinable = false } = wait;
  const message = questionText(wait);
  if (choices !== undefined) {
    const offered = choices.map((value) => ({ value }));
    return { key, value: await prompt.choose({ message, signal }, offered) };
  }
  if (schema !== undefined) {
    if (declinable && !(await prompt.confirm({ message: `${message}\nAnswer it?`, signal })))
      return { key, approve: false };
    return { key, value: await askValue(prompt, { message, schema, signal }) };
  }
  if (wait.kind === "input") return { key, value: await prompt.text({ message, signal }) };
  if (wait.freeText === true) return { key, feedback: await prompt.text({ message, signal }) };
  if (wait.needsFeedback === true) {
    return { key, feedback: await prompt.text({ message, signal, check: needsWords }) };
  }
  const approve = await prompt.confirm({ message: `${message}\nApprove?`, initial: true, signal });
  if (approve) return { key, approve };
  const feedback = await prompt.text({ message: "Requested change?", signal });
  return { key, approve, feedback };
}

function needsWords(text: string): string | undefined {
  return text.trim() === "" ? "Write a few words about the answer" : undefined;
}

async function askValue(
  prompt: Prompter,
  { message, schema, signal }: { message: string; schema: JsonObject; signal: AbortSignal },
): Promise<JsonValue> {
  const { properties, required = [] } = schema;
  if (!isJsonObject(properties)) return (await askOne(prompt, { message, schema, signal })) ?? null;
  const answer: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(properties)) {
    const isNeeded = Array.isArray(required) && required.includes(name);
    const about = isJsonObject(field) ? field : {};
    const { description } = about;
    const label = `${message}\n${name}${typeof description === "string" ? `: ${description}` : ""}${isNeeded ? "" : " (may be empty)"}`;
    const value = await askOne(prompt, { message: label, schema: about, signal, isNeeded });
    if (value !== undefined) answer[name] = value;
  }
  return answer;
}

async function askOne(
  prompt: Prompter,
  question: { message: string; schema: JsonObject; signal: AbortSignal; isNeeded?: boolean },
): Promise<JsonValue | undefined> {
  const { message, schema, signal, isNeeded = true } = question;
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && choices.every((each) => typeof each === "string"))
    return prompt.choose(
      { message, signal },
      choices.map((value) => ({ value })),
    );
  if (type === "boolean") return prompt.confirm({ message, signal });
  const text = await prompt.text({
    message,
    signal,
    check: (written) => {
      if (written === "" && !isNeeded) return undefined;
      const [issue] = validateJsonSchema(schema, valueOf(written, type));
      return issue?.message;
    },
  });
  return text === "" && !isNeeded ? undefined : valueOf(text, type);
}

function valueOf(text: string, type: JsonValue | undefined): JsonValue {
  if (type === undefined || type === "string") return text;
  return jsonOrText(text);
}

function questionText({ prompt = "It waits for an answer", subject, data }: Wait): string {
  const about = subject ?? (data === undefined ? undefined : JSON.stringify(data, null, 2));
  return about === undefined ? prompt : `${prompt}\n\n${about.split("\n").map(plain).join("\n")}\n`;
}
