// What a flow may come to, told without a journal and without the code of flows. In which order methods that ran at once
// have ended is read off the record; all else follows from it.
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import { digest } from "./action.ts";
import {
  bodyInput,
  bodySegment,
  changeState,
  firstState,
  flowOutput,
  flowSegment,
  labelAtTurn,
  MAX_CALLS,
  methodName,
  seen,
  type FlowNode,
  type FlowState,
  type LogEntry,
  type MethodNode,
} from "./flow.ts";
import { FlowModel } from "./flow-model.ts";
import type { ProgramNode } from "./program.ts";

/** What a flow has told of one of its methods. */
export type MethodEvent = {
  /** Its name, with `~2` for its second execution. */
  readonly at: string;
  readonly what: "begins" | "ends" | "fails";
  /** What it is said to have given. */
  readonly result: JsonValue;
};

type Failure = { readonly code: string; readonly message: string };

/** How the rest of a program is checked. */
export interface FlowFacts {
  /** What the flow at this place has told of its methods, in that order. */
  methodEvents(flowKey: string): readonly MethodEvent[];
  mayReturn(node: ProgramNode, place: { key: string; input: string }, value: JsonValue): boolean;
  mayFail(node: ProgramNode, key: string, failure: Failure): boolean;
  /** The code that a method's execution may have had: another one may have other names. */
  variants(body: ProgramNode): readonly ProgramNode[];
}

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
  const flowKey = joinKey(key, flowSegment(node));
  const { log } = output.state;
  const whole = stateAfter(node, { flowKey, input, facts }, log);
  if (whole === undefined || !isSameState(whole.state, output.state)) return false;
  const model = new FlowModel(node);
  model.begin();
  let ended = 0;
  for (const { at, what, result } of facts.methodEvents(flowKey)) {
    const running = model.running.get(at);
    const own = log.findIndex((entry) => entry.at === at);
    const entry = log[own];
    if (running === undefined || entry === undefined) return false;
    // What waits for nothing any more begins at once, but after a crash perhaps once others have ended too.
    if (what === "begins" ? entry.saw !== ended : entry.saw < running.began) return false;
    if (what === "begins") continue;
    if (own !== ended++ || !isSame(entry.got, running.got)) return false;
    const given = whole.results[own] ?? null;
    if (what === "fails" || !isSame(given, result)) return false;
    model.end(at, resultOf(node, at, given));
  }
  return model.over && ended === log.length && isSame(whole.results.at(-1) ?? null, output.value);
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
  let first: string | undefined;
  for (const { at, what, result } of facts.methodEvents(flowKey)) {
    if (!model.running.has(at)) return false;
    if (what === "fails" && !model.failed) first = at;
    if (what === "fails") model.fail(at);
    if (what === "ends") model.end(at, resultOf(node, at, result));
  }
  if (model.limited !== undefined)
    return (
      failure.code === "limit_exceeded" &&
      failure.message.startsWith(`method ${model.limited} was woken more than ${MAX_CALLS} times`)
    );
  if (first === undefined) return false;
  const method = methodAt(node, first);
  if (method === undefined) return false;
  if (node.schema && leavesUnfit(method) && failure.code === "invalid_input")
    return failure.message.startsWith(`method ${nameOf(first)} left a state`);
  const { body } = method;
  if (body === null) return false;
  return facts
    .variants(body)
    .some((each) => facts.mayFail(each, bodyKey(flowKey, first, each), failure));
}

/** The state that the methods of a log leave, and what each gave; undefined where one of them may not have done so. */
function stateAfter(
  node: FlowNode,
  { flowKey, input, facts }: { flowKey: string; input: string; facts: FlowFacts },
  log: readonly LogEntry[],
): { readonly state: FlowState; readonly results: readonly JsonValue[] } | undefined {
  const states = [firstState(input)];
  const results: JsonValue[] = [];
  for (const entry of log) {
    const { at, saw, got, value } = entry;
    const method = methodAt(node, at);
    const before = states[saw];
    const now = states.at(-1);
    if (method === undefined || before === undefined || now === undefined) return undefined;
    if (node.schema && leavesUnfit(method)) return undefined;
    const asked = bodyInput(at, got, before);
    const { body } = method;
    const mayGive = (each: ProgramNode): boolean =>
      facts.mayReturn(each, { key: bodyKey(flowKey, at, each), input: asked }, value);
    if (!(body === null ? value === null : facts.variants(body).some(mayGive))) return undefined;
    const name = nameOf(at);
    const turn = before.turns[name] ?? 0;
    results.push(method.labels === null ? digest(asked, value) : labelAtTurn(method, turn));
    states.push(merged(now, before, { method, entry, asked }));
  }
  return { state: states.at(-1) ?? firstState(input), results };
}

/** What has become of the state once a method has ended that began with `before`. */
function merged(
  now: FlowState,
  before: FlowState,
  { method, entry, asked }: { method: MethodNode; entry: LogEntry; asked: string },
): FlowState {
  const name = nameOf(entry.at);
  const own = structuredClone(before);
  for (const change of method.changes) changeState(own, change, { name, asked });
  const does = (change: MethodNode["changes"][number]): boolean => method.changes.includes(change);
  const added = own.count - before.count;
  const notes = does("renote") && !isSame(own.notes, before.notes) ? own.notes : { ...now.notes };
  if (!does("renote")) {
    for (const [key, note] of Object.entries(own.notes))
      if (before.notes[key] !== note) notes[key] = note;
    for (const key of Object.keys(before.notes))
      if (!Object.hasOwn(own.notes, key)) Reflect.deleteProperty(notes, key);
  }
  return {
    asked: now.asked,
    log: [...now.log, entry],
    turns: { ...now.turns, [name]: (now.turns[name] ?? 0) + 1 },
    count: does("count") ? own.count : now.count + added,
    last: own.last === before.last ? now.last : own.last,
    list: does("list") ? own.list : now.list,
    notes,
  };
}

/** Whether its state fits no schema. */
function leavesUnfit({ changes }: MethodNode): boolean {
  return changes.findLast((change) => change === "unfit" || change === "assign") === "unfit";
}

function resultOf(
  node: FlowNode,
  at: string,
  value: JsonValue,
): { readonly value: JsonValue; readonly label: string | null } {
  const isRouter = methodAt(node, at)?.labels != null;
  return { value, label: isRouter && typeof value === "string" ? value : null };
}

function methodAt({ methods }: FlowNode, at: string): MethodNode | undefined {
  return methods.find((_, index) => methodName(index) === nameOf(at));
}

function nameOf(at: string): string {
  return at.split("~")[0] ?? at;
}

function bodyKey(flowKey: string, at: string, body: ProgramNode): string {
  return joinKey(joinKey(flowKey, `method:${at}`), bodySegment(body));
}

function isSameState(expected: FlowState, actual: FlowState): boolean {
  const whole = (state: FlowState): JsonValue => [state.asked, seen(state), state.log as never];
  return isSame(whole(expected), whole(actual)) && onlyKnown(actual as never, expected as never);
}

function onlyKnown(actual: JsonObject, expected: JsonObject): boolean {
  return Object.keys(actual).every((key) => Object.hasOwn(expected, key));
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

/** The value with the keys of its objects in order. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => canonical(each));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}
