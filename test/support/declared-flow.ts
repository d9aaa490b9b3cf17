// Declared flows as tests run them: a text, what it can name, a scripted model, a clock by hand.
import type { EngineError } from "../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import {
  flowFromDeclaration,
  type DeclarationOptions,
} from "../../src/declarative/flow-from-declaration.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedModel,
} from "../../src/llm/scripted/scripted-model.ts";
import type { RunHandle } from "../../src/runtime/handle/run-handle.ts";
import { isTerminal, type Run } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { EngineError as Base } from "../../src/base/error.ts";

export type DeclaredRun = {
  readonly handle: RunHandle;
  readonly model: ScriptedModel;
  /** Lets time pass until the run waits for somebody or has ended. */
  readonly settle: () => Promise<Run>;
  /** What the flow gave. Rejects with the run's error. */
  readonly output: () => Promise<{ readonly value: JsonValue; readonly state: JsonObject }>;
};

export function startDeclared(
  declaration: string | object,
  options: DeclarationOptions & {
    readonly inputs?: JsonObject;
    readonly script?: Script;
    readonly services?: RunServices;
  } = {},
): DeclaredRun {
  const { inputs = {}, script = () => "an answer", services = {}, ...rest } = options;
  const clock = new SimulatedClock();
  const model = scriptedModel(script, { clock });
  const flow = flowFromDeclaration(declaration, rest);
  const handle = flow.start({ inputs, clock, id: "run-1", models: () => model, services });
  const settle = async (): Promise<Run> => {
    for (let turn = 0; turn < 1000; turn++) {
      await clock.settle();
      const run = await handle.status();
      if (isTerminal(run.status) || run.waits.some(({ kind }) => kind !== "timer")) return run;
      if (clock.nextDueMs !== undefined) await clock.advance(clock.nextDueMs - clock.now());
    }
    throw new Error("the flow neither ends nor waits");
  };
  const output: DeclaredRun["output"] = async () => {
    await settle();
    return handle.output();
  };
  return { handle, model, settle, output };
}

/** A flow of one method that does this. */
export function doing(action: JsonObject): JsonObject {
  return { name: "One", methods: { go: { start: true, do: action } } };
}

/** What one action gives. */
export async function valueOf(
  action: JsonObject,
  options: Parameters<typeof startDeclared>[1] = {},
): Promise<JsonValue> {
  return (await startDeclared(doing(action), options).output()).value;
}

/** What is refused of a declaration, one line for each thing: `/path: message`, or the message where it has a place. */
export function refusals(declaration: string | object, options: DeclarationOptions = {}): string[] {
  try {
    flowFromDeclaration(declaration, options);
  } catch (error) {
    if (!Base.is(error)) throw error;
    const { issues, message, code }: EngineError = error;
    if (code !== "invalid_definition") throw error;
    if (issues === undefined) return [message];
    return issues.map((issue) =>
      typeof declaration === "string" ? issue.message : `${issue.path}: ${issue.message}`,
    );
  }
  return [];
}
