// Collects the inputs of a run from the command line and from the person at the terminal.
//
//   STI1. Missing inputs are asked for, with their descriptions in the schema. Without a terminal, one error names all
//         of them.
//   STI2. Invalid inputs are reported before a run is started.
import { pointerOf } from "../base/json-pointer.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { Issue } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { EngineError, type EdgecrewClient } from "../client/index.ts";
import { wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import { choicesOf, fieldOf, namesIn, questionOf, typedAnswer } from "./input-fields.ts";
import type { Prompter } from "./prompter.ts";
import { readInputs, unusedInputs, type WrittenInputs } from "./run-inputs.ts";
import type { Startable } from "./startable.ts";

export type StartInputs = {
  readonly written: WrittenInputs;
  /** Inputs of an earlier run, to use if the command line has none. */
  readonly last?: JsonObject;
  /** Names of file inputs, which are sent separately. */
  readonly files?: readonly string[];
  /** Name of the command, for messages. @default "run" */
  readonly verb?: string;
};

/** Throws exit code 2 for invalid inputs, and for missing ones without a terminal. */
export async function startInputs(
  context: CliContext,
  { client, subject }: { readonly client: EdgecrewClient; readonly subject: Startable },
  { written, last = {}, files = [], verb = "run" }: StartInputs,
): Promise<JsonObject> {
  const schema = await schemaOf(client, subject);
  const inputs = { ...last, ...(await readInputs(written, { ...context, schema })) };
  const { known, required } = namesIn(schema);
  if (subject.kind === "crew")
    for (const warning of unusedInputs(inputs, [...subject.inputs, ...known]))
      context.out.note(`! ${warning}`);
  const faults = faultsIn(schema, inputs);
  if (faults.length > 0) throw wrongUse(faults.map(faultText).join("; "));
  const missing = [...new Set([...subject.inputs, ...required])].filter(
    (name) => inputs[name] === undefined && !files.includes(name),
  );
  if (missing.length === 0) return inputs;
  const { prompt } = context;
  if (prompt === undefined) {
    const flags = missing.map((name) => `--input ${name}${signOf(fieldOf(schema, name))}…`);
    throw wrongUse(
      `${subject.name} needs ${missing.join(", ")}`,
      `edgecrew ${verb} ${subject.name} ${flags.join(" ")}`,
    );
  }
  const asked: Record<string, JsonValue> = {};
  for (const name of missing) asked[name] = await answerTo(prompt, { name, schema });
  return { ...inputs, ...asked };
}

/** Returns the input schema of a crew or a flow, or undefined. */
async function schemaOf(
  client: EdgecrewClient,
  { kind, name, takesTurns = false }: Startable,
): Promise<JsonObject | undefined> {
  if (kind === "crew") return (await client.crews.get(name)).inputSchema;
  // A flow with turns begins with a message.
  return kind === "flow" && !takesTurns ? (await client.flows.get(name)).inputSchema : undefined;
}

/** Returns faults of the inputs. Missing inputs are no fault yet. */
function faultsIn(schema: JsonObject | undefined, inputs: JsonObject): readonly Issue[] {
  if (schema === undefined) return [];
  const { required: _, ...open } = schema;
  try {
    return validateJsonSchema(open, inputs);
  } catch (error) {
    if (EngineError.is(error)) return []; // the Worker reports it
    throw error;
  }
}

function faultText({ path, message }: Issue): string {
  return path === "" ? message : `${path.slice(1)}: ${message}`;
}

function signOf(field: JsonObject): string {
  return typeof typedAnswer(field, "[]") === "string" ? "=" : ":=";
}

async function answerTo(
  prompt: Prompter,
  { name, schema }: { readonly name: string; readonly schema: JsonObject | undefined },
): Promise<JsonValue> {
  const field = fieldOf(schema, name);
  const message = questionOf(name, field);
  const choices = choicesOf(field);
  if (choices.length > 0) {
    const shown = choices.map((choice) =>
      typeof choice === "string" ? choice : JSON.stringify(choice),
    );
    const chosen = await prompt.choose(
      { message },
      shown.map((value) => ({ value })),
    );
    return choices[shown.indexOf(chosen)] ?? chosen;
  }
  const check = (answer: string): string | undefined => {
    const at = pointerOf([name]);
    const faults = faultsIn(schema, { [name]: typedAnswer(field, answer) });
    return faults.find(({ path }) => path === at || path.startsWith(`${at}/`))?.message;
  };
  return typedAnswer(field, await prompt.text({ message, check }));
}
