// Shared code of all actions: running them, values for their expressions, and records of their parts.
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { jsonView, viewOf } from "../base/recorded.ts";
import type { RegistryResolver } from "../crew/definition/definition-registry.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { FlowRegistry } from "../flow/flow-reader.ts";
import type { MethodCall } from "../flow/method-call.ts";
import type { StateChange } from "../flow/state-change.ts";
import { StateCopy } from "../flow/state-copy.ts";
import { withForeignFields, withForeignNames } from "./cel-values.ts";
import type { AtomicDeclaration } from "./declaration-schema.ts";
import type { Facts, RootValues, Roots } from "./expression.ts";
import { readTemplate, type Template } from "./template.ts";

/** One run of an action: the call of its method, and within an `each` the data of the item. */
export type ActionRun = {
  readonly call: MethodCall;
  readonly item?: JsonValue;
  /** Results of the item's steps so far. */
  readonly steps?: JsonObject;
};

export type Action = {
  /** Returns its result in the recorded form. */
  readonly run: (run: ActionRun) => Promise<JsonValue>;
  /** True if it has its own steps. */
  readonly isDurable: boolean;
};

/** Means for creating actions. */
export type ActionMaker = {
  readonly flowName: string;
  readonly registry: FlowRegistry;
  readonly resolver: RegistryResolver;
  readonly issues: Issue[];
  /** See `Reading`. */
  readonly readsTime: () => void;
};

/** Place of an action in its declaration, and the names its expressions can use. */
export type ActionPlace = { readonly path: string; readonly roots: Roots };

/** The declaration of one kind of action. */
export type DeclarationOf<Call extends AtomicDeclaration["call"]> = Extract<
  AtomicDeclaration,
  { call: Call }
>;

/** Returns the values for expressions. */
export function factsOf(run: ActionRun): Facts {
  return { values: valuesOf(run), nowMs: run.call.startedAtMs };
}

function valuesOf({ call, item = null, steps }: ActionRun): RootValues {
  return {
    get state() {
      const state = jsonView(call.copy.change().state) as JsonObject;
      return call.conversation === undefined ? state : withForeignFields(state);
    },
    get outputs() {
      const named = Object.entries(call.outputs()).map(([name, value]) => [
        name,
        withForeignNames(viewOf(value)),
      ]);
      const own = Object.entries(steps ?? {}).map(([name, value]) => [
        name,
        withForeignNames(jsonView(value)),
      ]);
      return Object.fromEntries([...named, ...own]) as JsonObject;
    },
    item,
  };
}

export function templateOf(
  data: JsonValue,
  path: string,
  {
    place: { roots },
    maker: { issues, readsTime },
  }: { readonly place: ActionPlace; readonly maker: ActionMaker },
): Template {
  return readTemplate(data, path, { roots, issues, readsTime });
}

/** Runs a maker and records its errors as issues below this path. */
export function attempt<Made>(issues: Issue[], path: string, make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    const inner = EngineError.is(error) ? error.issues : undefined;
    if (inner === undefined) issues.push({ path, message: errorMessage(error) });
    else
      issues.push(...inner.map((issue) => ({ path: path + issue.path, message: issue.message })));
    return undefined;
  }
}

/** Returns the last name of an import reference: `my_project.tools:SearchTool` names `SearchTool`. */
export function lastName(ref: string): string {
  return ref.split(/[:.]/).at(-1) ?? ref;
}

export function unmade(): EngineError {
  return new EngineError("internal", "an action that could not be made was run");
}

/** Record of a part of a method: its result, its changes to the state, and its notes. */
export type RecordedPart = {
  readonly value: JsonValue;
  readonly change?: StateChange;
  readonly notes?: readonly JsonValue[];
};

/** Returns the call for a separately recorded part of a method. Its effects count for the method after it ends. */
export function partOf(call: MethodCall, scope: RunScope): MethodCall {
  const earlierNotes = [...call.earlierNotes, ...call.notes];
  return { ...call, copy: new StateCopy(call.copy.change().state), scope, notes: [], earlierNotes };
}

export function doneWith(value: JsonValue, { copy, notes }: MethodCall): RecordedPart {
  const { change } = copy.change();
  return {
    value,
    ...(change === undefined ? undefined : { change }),
    ...(notes.length === 0 ? undefined : { notes }),
  };
}

export function taken(call: MethodCall, { value, change, notes = [] }: RecordedPart): JsonValue {
  if (change !== undefined) call.copy.apply(change);
  call.notes.push(...notes);
  return value;
}
