// Runs a declared flow on this side.
import * as z from "zod";
import { errorMessage } from "../../../src/base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { flowFromDeclaration } from "../../../src/declarative/index.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { Outcome, Program } from "./program.ts";

const functions = { echo: (given: unknown): unknown => given };
const echoTool = tool({
  name: "EchoTool",
  description: "Gives back what it gets.",
  input: z.object({ text: z.string(), count: z.int().default(1) }),
  run: (given) => given,
});

export async function runDeclared({ flow, inputs }: Program): Promise<Outcome> {
  try {
    const built = flowFromDeclaration(flow, { registry: { functions, tools: [echoTool] } });
    const { value, state } = await built.kickoff({ inputs });
    const { id, ...rest } = state as JsonObject;
    return { status: "completed", value: withoutId(value, id ?? null), state: rest };
  } catch (error) {
    return { status: "failed", message: errorMessage(error).slice(0, 600) };
  }
}

function withoutId(value: JsonValue, id: JsonValue): JsonValue {
  if (typeof value === "string")
    return typeof id === "string" ? value.replaceAll(id, "<id>") : value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutId(item, id));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutId(item, id)]));
}
