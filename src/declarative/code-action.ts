// Functions of the user's as actions.
import type { JsonObject, JsonValue } from "../base/json.ts";
import { fromRecorded, toRecorded } from "../base/recorded.ts";
import type { NamedFunction } from "../crew/definition/definition-registry.ts";
import { MethodContext, type FlowContext } from "../flow/method-context.ts";
import { keySegment } from "../journal/step-key.ts";
import {
  doneWith,
  lastName,
  partOf,
  taken,
  templateOf,
  factsOf,
  type Action,
  type ActionMaker,
  type ActionPlace,
  type ActionRun,
  type DeclarationOf,
  type RecordedPart,
} from "./action-run.ts";

/** Second argument of a function named by `call: code`. */
export type CodeContext = FlowContext<Record<string, JsonValue>> & {
  readonly outputs: JsonObject;
  /** The item, within an `each`. */
  readonly item?: JsonValue;
  /** The same on every execution of this call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

export function codeAction(
  { ref, with: args = {} }: DeclarationOf<"code">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const found = maker.resolver.function(ref, `${place.path}/ref`);
  const argumentsOf = templateOf(args, `${place.path}/with`, { place, maker });
  const segment = `code:${keySegment(lastName(ref))}`;
  return {
    isDurable: true,
    run: (run) =>
      callCode(run, found as NamedFunction, { segment, input: argumentsOf(factsOf(run)) }),
  };
}

async function callCode(
  { call, item, steps = {} }: ActionRun,
  code: NamedFunction,
  { segment, input }: { readonly segment: string; readonly input: JsonValue },
): Promise<JsonValue> {
  const done = await call.scope.at(segment).step<RecordedPart>({
    kind: "effect",
    failureCode: "user_code_failed",
    run: (step, scope) =>
      scope.run(async () => {
        const own = partOf(call, scope);
        const context: CodeContext = Object.assign(
          new MethodContext<Record<string, JsonValue>>(own),
          {
            outputs: structuredClone({ ...call.outputs(), ...(fromRecorded(steps) as JsonObject) }),
            ...(item === undefined
              ? undefined
              : { item: fromRecorded(structuredClone(item)) as JsonValue }),
            idempotencyKey: step.idempotencyKey,
            signal: step.signal,
          },
        );
        const returned = await (code as (...all: unknown[]) => unknown)(input, context);
        return doneWith(toRecorded(returned), own);
      }),
  });
  return taken(call, done);
}
