// Run of an answer through its guardrails.
//
//   GR1. Guardrails run in order; each sees the result of the one before it, changed or not.
//   GR2. After a refusal the work is done again; the prompt has the reason and the refused answer. All guardrails then
//        judge the new answer from the first on (upstream continues with the refusing one).
//   GR3. Each guardrail may refuse `maxRetries` times; one more refusal ends the work with `output_invalid`, which
//        names guardrail, retries and reason.
//   GR4. A function is called once for each answer, also in replay. Its error ends the work at once, as does a verdict
//        in an unknown form: neither is a judgement of the answer.
//   GR6. A function that reads an object before its conversion is called again after the conversion. A function that
//        does not read it costs no conversion, and neither does an answer it refuses.
//   GR5. A model judges a text rule. A failed model call is no refusal: it ends the work with its error.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type {
  CheckedGuardrail,
  GuardrailVerdict,
  ModelGuardrail,
  Verdict,
} from "../description/guardrail.ts";
import { askStructured, type ShapeCaller } from "./structured-output.ts";

/** Settings of one run through the guardrails. */
export type GuardrailRun<Output> = {
  readonly guardrails: ReadonlyArray<CheckedGuardrail<Output>>;
  /** Number of refusals allowed to each guardrail. */
  readonly maxRetries: number;
  /** Owner of the answer in error messages: `task "report"`. */
  readonly owner: string;
  /** Text that must support an answer, if a guardrail names no context. */
  readonly reference: string;
  /** Caller for the judging models. */
  readonly caller: ShapeCaller;
};

/** Handling of an output changed or refused by a guardrail. */
export type GuardrailEffects<Recorded, Output> = {
  /** Returns the output as functions see it. Reading an object before its conversion calls `demand`, which throws. */
  readonly shown: (output: Recorded, demand: () => never) => Output;
  /** Returns the output with its object made. Left out if no function can demand one. */
  readonly converted?: (output: Recorded) => Promise<Recorded>;
  /** Returns the output with a guardrail's replacement. */
  readonly replaced: (place: RunScope, output: Recorded, value: JsonValue) => Promise<Recorded>;
  /** Does the work again, below `place`. */
  readonly again: (
    place: RunScope,
    refused: { error: string; output: Recorded },
  ) => Promise<Recorded>;
};

/** Runs an output through its guardrails and returns the passing output. */
export async function runGuardrails<Recorded extends { readonly raw: string }, Output>(
  scope: RunScope,
  first: Recorded,
  { run, effects }: { run: GuardrailRun<Output>; effects: GuardrailEffects<Recorded, Output> },
): Promise<Recorded> {
  const retries = run.guardrails.map(() => 0);
  let place = scope;
  let output = first;
  let allRetries = 0;
  for (let index = 0; index < run.guardrails.length;) {
    const guardrail = run.guardrails[index];
    const retryCount = retries[index] ?? 0;
    if (guardrail === undefined) break;
    const at = place.at(`guardrail:${index}`);
    const verdict = await withEvents(
      at,
      { guardrail, retryCount, raw: output.raw },
      async (inner) => {
        if (typeof guardrail !== "function")
          return askModel(inner, guardrail, { run, raw: output.raw });
        const check = { guardrail, name: nameOf(run, index) };
        const judged = await callFunction(inner.at("call"), output, { check, effects });
        if (judged !== "wants object") return judged;
        output = (await effects.converted?.(output)) ?? output;
        const again = await callFunction(inner.at("call-again"), output, { check, effects });
        if (again === "wants object") throw new Error("a converted output has no object");
        return again;
      },
    );
    if (verdict.ok) {
      if (verdict.value !== undefined) output = await effects.replaced(at, output, verdict.value);
      index++;
      continue;
    }
    const { error } = verdict;
    if (retryCount >= run.maxRetries) {
      const times = run.maxRetries === 1 ? "1 retry" : `${run.maxRetries} retries`;
      throw new EngineError(
        "output_invalid",
        `${nameOf(run, index)} refused the answer after ${times}: ${error}`,
      );
    }
    retries[index] = retryCount + 1;
    place = scope.at(`guardrail-retry:${++allRetries}`);
    output = await effects.again(place, { error, output });
    index = 0;
  }
  return output;
}

/** Runs a guardrail between the events of its start and of its verdict or error. */
async function withEvents<Output>(
  place: RunScope,
  asked: { guardrail: CheckedGuardrail<Output>; retryCount: number; raw: string },
  judge: (inner: RunScope) => Promise<Verdict>,
): Promise<Verdict> {
  const { guardrail, retryCount, raw } = asked;
  const name = guardrail.name || "anonymous function";
  const inner = place.open("llm_guardrail_started", {
    guardrail: cut(name, MAX_EVENT_TEXT),
    retryCount,
    guardrailType: typeof guardrail === "function" ? "function" : guardrail.type,
  });
  let verdict: Verdict;
  try {
    verdict = await judge(inner);
  } catch (error) {
    place.emit("llm_guardrail_completed", {
      success: false,
      result: null,
      error: errorMessage(error),
      retryCount,
    });
    throw error;
  }
  const { value = raw } = verdict.ok ? verdict : { value: null };
  place.emit("llm_guardrail_completed", {
    success: verdict.ok,
    result: typeof value === "string" ? cut(value, MAX_EVENT_TEXT) : rawOf(value),
    ...(verdict.ok ? undefined : { error: cut(verdict.error, MAX_EVENT_TEXT) }),
    retryCount,
  });
  return verdict;
}

/** Returns the text of an output, because events are too small for all of it. */
function rawOf(value: JsonValue): string | null {
  const raw = isJsonObject(value) ? value["raw"] : undefined;
  return typeof raw === "string" ? cut(raw, MAX_EVENT_TEXT) : null;
}

/** Returns the verdict of a function, or a demand for the output's object. */
function callFunction<Recorded, Output>(
  place: RunScope,
  output: Recorded,
  options: {
    readonly check: {
      readonly guardrail: (output: Output) => GuardrailVerdict | Promise<GuardrailVerdict>;
      readonly name: string;
    };
    readonly effects: Pick<GuardrailEffects<Recorded, Output>, "shown">;
  },
): Promise<Verdict | "wants object"> {
  const { check, effects } = options;
  const { guardrail, name } = check;
  return place.callOnce<Verdict | "wants object">(async () => {
    let wantsObject = false;
    const shown = effects.shown(output, () => {
      wantsObject = true;
      throw new Error("the object is made before the guardrail is called again");
    });
    let result: GuardrailVerdict;
    try {
      result = await guardrail(shown);
    } catch (error) {
      if (wantsObject) return "wants object";
      if (EngineError.is(error)) throw error;
      throw new EngineError("user_code_failed", `${name} threw: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    return wantsObject ? "wants object" : readVerdict(result, { name, shown });
  });
}

async function askModel<Output>(
  place: RunScope,
  guardrail: ModelGuardrail,
  { run, raw }: { run: GuardrailRun<Output>; raw: string },
): Promise<Verdict> {
  const { caller, reference } = run;
  const model = guardrail.llm === undefined ? caller.model : place.model(guardrail.llm);
  const work = {
    ...caller,
    model,
    decides: "judge answers",
    get deadlineAtMs() {
      return caller.deadlineAtMs; // it may still move
    },
  };
  const question = guardrail.question(caller.prompts, { raw, reference });
  return guardrail.read(
    await askStructured(place, question, {
      shape: guardrail.shape,
      work,
      purpose: "guardrail",
    }),
  );
}

/**
 * Reads a verdict. Throws `output_invalid` for an unknown form. The unchanged output as replacement changes nothing.
 */
function readVerdict(
  result: unknown,
  { name, shown }: { readonly name: string; readonly shown: unknown },
): Verdict {
  const broken = (what: string): EngineError =>
    new EngineError(
      "output_invalid",
      `${name} must return [ok, value], { ok: true, value? } or { ok: false, error }; ${what}`,
    );
  if (Array.isArray(result)) {
    const [ok, value]: readonly unknown[] = result;
    if (result.length !== 2 || typeof ok !== "boolean") throw broken(`got ${preview(result)}`);
    return ok ? passed(value) : refused(value);
  }
  const verdict: Partial<Record<"ok" | "value" | "error", unknown>> =
    typeof result === "object" && result !== null ? result : {};
  const { ok, value, error } = verdict;
  if (ok === true && error === undefined) return value === undefined ? { ok } : passed(value);
  if (ok === false && value === undefined && error !== undefined) return refused(error);
  throw broken(`got ${preview(result)}`);

  function passed(replacement: unknown): Verdict {
    if (replacement === null || replacement === undefined)
      throw broken(`it passed the answer with ${String(replacement)} in its place`);
    return replacement === shown ? { ok: true } : { ok: true, value: replacement as JsonValue };
  }
}

function refused(reason: unknown): Verdict {
  const said =
    typeof reason === "string" || reason instanceof Error
      ? errorMessage(reason)
      : preview(reason, 2000);
  return { ok: false, error: said };
}

function nameOf<Output>({ guardrails, owner }: GuardrailRun<Output>, index: number): string {
  const name = guardrails[index]?.name ?? "";
  const which = guardrails.length === 1 ? "the guardrail" : `guardrail ${index}`;
  const named = name === "" || name === "guardrail" ? "" : ` (${preview(name)})`;
  return `${which}${named} of ${owner}`;
}
