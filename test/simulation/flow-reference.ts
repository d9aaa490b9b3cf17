// What a flow may come to, told without a journal and without the code of flows. In which order methods that ran at once
// have ended is read off what the flow has told; all else follows from it.
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import { stepValue } from "./action.ts";
import {
  bodySegment,
  fallbackOf,
  flowOutput,
  flowSegment,
  LABELS,
  MAX_CALLS,
  methodName,
  nameOf,
  ownResult,
  shownHanded,
  WORK,
  type FlowNode,
  type MethodNode,
  type Review,
  type ReviewNode,
} from "./flow.ts";
import {
  askedByHooks,
  hookedResult,
  isHooked,
  isRefusal,
  mayBeHanded,
  refused,
} from "./flow-hooks.ts";
import { FlowModel, type Result } from "./flow-model.ts";
import {
  bodyInput,
  firstState,
  isSame,
  isSameState,
  leavesUnfit,
  merged,
  restoredState,
  type FlowState,
  type LogEntry,
} from "./flow-state.ts";
import type { ProgramNode, WaitNode } from "./program.ts";

/** What a flow has told of one of its methods. */
export type MethodEvent = {
  /** Its name, with `~2` for its second execution. */
  readonly at: string;
  readonly what: "begins" | "hooked" | "ends" | "fails";
  /** What it is said to have given. */
  readonly result: JsonValue;
};

type Failure = { readonly code: string; readonly message: string };

/** How the rest of a program is checked. */
export interface FlowFacts {
  /** What the flow at this place has told of its methods, in that order. */
  methodEvents(flowKey: string): readonly MethodEvent[];
  /** What a person is told to have said of what the method at this place gave. */
  review(methodKey: string): Review | undefined;
  mayBeAnsweredBy(key: string, kind: WaitNode["kind"], value: JsonValue): boolean;
  answered(key: string): boolean;
  /** What the step at this place has on record. */
  recorded(key: string): JsonValue | undefined;
  mayReturn(node: ProgramNode, place: { key: string; input: string }, value: JsonValue): boolean;
  mayFail(node: ProgramNode, key: string, failure: Failure): boolean;
  /** The code that a method's execution may have had: another one may have other names. */
  variants(body: ProgramNode): readonly ProgramNode[];
}

/** A flow at its place. */
type Flow = { readonly node: FlowNode; readonly flowKey: string; readonly facts: FlowFacts };

/** How an execution of a method has ended. */
type End = {
  readonly result: Result;
  /** What is told of it. */
  readonly told: JsonValue;
  /** What the flow gives if no other ends after it. */
  readonly value: JsonValue;
};

/** True when the flow at `key`, asked `input`, may come to `value`. */
export function mayHaveEnded(
  node: FlowNode,
  {
    key,
    input,
    facts,
  }: { readonly key: string; readonly input: string; readonly facts: FlowFacts },
  value: JsonValue | undefined,
): boolean {
  const output = flowOutput(value);
  if (output === undefined) return false;
  const flow = { node, flowKey: joinKey(key, flowSegment(node)), facts };
  const { log } = output.state;
  const whole = stateAfter(flow, input, log);
  if (whole === undefined || !isSameState(whole.state, output.state)) return false;
  const last = lastOf(flow, { log, ends: whole.ends });
  return last !== undefined && last.some((each) => isSame(each, output.value));
}

/** What the flow may give, by what it has told; undefined where it cannot have gone so. */
function lastOf(
  { node, flowKey, facts }: Flow,
  { log, ends }: { readonly log: readonly LogEntry[]; readonly ends: readonly End[] },
): readonly JsonValue[] | undefined {
  const model = new FlowModel(node);
  model.begin();
  const ended = new Set<number>();
  const hasEndedOrLost = ({ at }: LogEntry, place: number): boolean =>
    ended.has(place) || model.running.get(at)?.race !== undefined;
  const isHanded = ({ at, got }: LogEntry, raw: JsonValue): boolean => {
    const asked = askedByHooks(joinKey(flowKey, `method:${at}`));
    return mayBeHanded(node, { raw, handed: got }, (value) =>
      facts.mayBeAnsweredBy(asked, "human", { value }),
    );
  };
  let last: JsonValue = null;
  for (const { at, what, result } of facts.methodEvents(flowKey)) {
    if (model.over) break; // those that have lost a race may go on
    const running = model.running.get(at);
    if (running === undefined) return undefined;
    if (what === "fails") {
      model.fail(at);
      if (model.failed) return undefined;
      continue;
    }
    const own = log.findIndex((entry) => entry.at === at);
    const [entry, end] = [log[own], ends[own]];
    if (entry === undefined || end === undefined) {
      if (what !== "ends" && running.race !== undefined) continue;
      return undefined;
    }
    if (what === "begins" && isHooked(node)) continue; // its code begins once the hooks are through
    if (what === "begins" || what === "hooked") {
      // A save lies between what a method does to the state and its end, and is told of by nothing.
      const fits = node.saves
        ? [...ended].every((place) => place < entry.saw)
        : entry.saw === ended.size;
      if (!fits || !isHanded(entry, running.got)) return undefined;
      continue;
    }
    if (!node.saves && own !== ended.size) return undefined;
    ended.add(own);
    if (!isHanded(entry, running.got) || !isSame(end.told, shownHanded(result))) return undefined;
    last = end.value;
    model.end(at, end.result);
  }
  // A method that has lost a race may have left its state, and not have told of its end.
  const isWhole = ended.size === log.length || (node.saves && log.every(hasEndedOrLost));
  if (!model.over || !isWhole) return undefined;
  return node.saves ? ends.map((end) => end.value) : [last];
}

/** True when the flow at `key` may fail so. */
export function mayHaveFailed(
  node: FlowNode,
  { key, facts }: { readonly key: string; readonly facts: FlowFacts },
  failure: Failure,
): boolean {
  const flowKey = joinKey(key, flowSegment(node));
  const model = new FlowModel(node);
  model.begin();
  for (const { at, what, result } of facts.methodEvents(flowKey)) {
    const method = methodAt(node, at);
    if (model.over || !model.running.has(at) || method === undefined) return false;
    if (what === "fails") model.fail(at);
    if (what !== "ends") continue;
    const review = facts.review(joinKey(flowKey, `method:${at}`));
    const { outcome = null, said = "" } = review ?? {};
    const given = outcome === null ? result : null;
    model.end(at, endOf(method, given as string | null, { said, outcome }).result);
  }
  if (model.limited !== undefined)
    return (
      failure.code === "limit_exceeded" &&
      failure.message.startsWith(`method ${model.limited} was woken more than ${MAX_CALLS} times`)
    );
  const { failure: first } = model;
  const method = first === undefined ? undefined : methodAt(node, first);
  if (first === undefined || method === undefined) return false;
  if (nameOf(first) === refused(node)) return isRefusal(failure);
  if (node.schema && leavesUnfit(method) && failure.code === "invalid_input")
    return failure.message.startsWith(`method ${nameOf(first)} left a state`);
  if (node.compat === true && method.review?.emits === true)
    if (/^the feedback .* is none of /.test(failure.message)) return true; // no model is there to read it
  const { body } = method;
  const place = placeOf(flowKey, first, method);
  if (body === null) return false;
  return facts
    .variants(body)
    .some((each) => facts.mayFail(each, joinKey(place, bodySegment(each)), failure));
}

/** The state that the methods of a log leave, and how each ended; undefined where one of them may not have done so. */
function stateAfter(
  flow: Flow,
  input: string,
  log: readonly LogEntry[],
): { readonly state: FlowState; readonly ends: readonly End[] } | undefined {
  const { node, flowKey, facts } = flow;
  const { compat = false } = node;
  const kept = fieldOf(facts.recorded(joinKey(flowKey, "restore")), "state");
  const first = node.restores === true ? restoredState(kept, input) : firstState(input);
  const states = [first];
  const ends: End[] = [];
  for (const entry of log) {
    const { at, saw, got, heard, did, value } = entry;
    const method = methodAt(node, at);
    const before = states[saw];
    const now = states.at(-1);
    if (method === undefined || before === undefined || now === undefined) return undefined;
    if (node.schema && leavesUnfit(method)) return undefined;
    if (nameOf(at) === refused(node)) return undefined;
    const asked = bodyInput(at, got, before);
    if (!mayHaveDone(flow, { method, entry, asked })) return undefined;
    const turn = before.turns[nameOf(at)] ?? 0;
    const own = ownResult(method, { asked, turn, made: [heard, did, value] });
    const given = own === null ? null : hookedResult(node, method, own);
    const methodKey = joinKey(flowKey, `method:${at}`);
    const review = facts.review(methodKey);
    const isReview = mayBeReview(method.review, { review, methodKey, facts, compat });
    if (!isReview) return undefined;
    const end = endOf(method, given, review);
    ends.push(end);
    states.push(merged(now, before, { method, entry, asked }));
  }
  return { state: states.at(-1) ?? first, ends };
}

/** True when a method may have heard and made what its entry says. */
function mayHaveDone(
  { flowKey, facts }: Flow,
  { method, entry, asked }: { method: MethodNode; entry: LogEntry; asked: string },
): boolean {
  const { at, heard, did, value } = entry;
  const { asks, works, body } = method;
  const place = placeOf(flowKey, at, method);
  const askedAt = joinKey(place, "ask");
  const mayHear =
    asks === null
      ? heard === null
      : heard === null
        ? asks.dueSeconds !== null && !facts.answered(askedAt)
        : facts.mayBeAnsweredBy(askedAt, "input", heard);
  const work = works ? (stepValue(WORK, joinKey(place, "work"), asked) ?? null) : null;
  if (!mayHear || !isSame(did, work)) return false;
  if (body === null) return value === null;
  return facts.variants(body).some((each) => {
    const key = joinKey(place, bodySegment(each));
    return facts.mayReturn(each, { key, input: asked }, value);
  });
}

/** True when a person may have said so, and it may have become this label. */
function mayBeReview(
  node: ReviewNode | null,
  {
    review,
    methodKey,
    facts,
    compat,
  }: {
    readonly review: Review | undefined;
    readonly methodKey: string;
    readonly facts: FlowFacts;
    readonly compat: boolean;
  },
): boolean {
  if (node === null || review === undefined) return (node === null) === (review === undefined);
  const { said, outcome } = review;
  const key = joinKey(methodKey, "feedback");
  const isSilent = said === "" && node.dueSeconds !== null && !facts.answered(key);
  if (!isSilent && !facts.mayBeAnsweredBy(key, "human", { value: said })) return false;
  if (!node.emits || outcome === null) return !node.emits && outcome === null;
  if (said === "") return outcome === fallbackOf(node);
  if ((LABELS as readonly string[]).includes(said)) return outcome === said;
  if (compat) return false; // no model is there to judge words: by CrewAI's rules the method fails
  // No model is there to judge words: the person is asked again, and is silent only where that counts as something.
  const again = joinKey(key, "choice");
  const mayLapse = node.dueSeconds !== null && node.fallback !== null && !facts.answered(again);
  if (mayLapse && outcome === fallbackOf(node)) return true;
  return facts.mayBeAnsweredBy(again, "input", outcome);
}

function endOf(method: MethodNode, given: string | null, review: Review | undefined): End {
  const own = method.labels === null ? null : given;
  if (method.review === null || review === undefined)
    return {
      result: { value: given, label: own, labelled: given, isReviewed: false },
      told: given,
      value: given,
    };
  const { said, outcome } = review;
  const whole = { output: given, said, outcome };
  const label = outcome ?? own;
  const value = outcome ?? whole;
  return {
    result: { value, label, labelled: whole, isReviewed: true },
    told: label ?? whole,
    value: outcome === null ? whole : given,
  };
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

function methodAt({ methods }: FlowNode, at: string): MethodNode | undefined {
  return methods.find((_, index) => methodName(index) === nameOf(at));
}

/** Where the work of an execution is done. */
function placeOf(flowKey: string, at: string, { review }: MethodNode): string {
  const methodKey = joinKey(flowKey, `method:${at}`);
  return review === null ? methodKey : joinKey(methodKey, "body");
}
