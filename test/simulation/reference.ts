// Reference: what a program may do, told without a journal. Choices that the world makes (who wins a race, whether an
// answer comes in time) are read off the output and checked against what the world knows; all else is determined.
import { unreachable } from "../../src/base/error.ts";
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import { NO_USAGE } from "../../src/base/usage.ts";
import { DEFAULT_RETRY } from "../../src/base/retry.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import type { ChildReport } from "../../src/runtime/children/child-run.ts";
import { mayBreakOff, mayHaveSaid } from "./conversation-reference.ts";
import { mayHaveEnded, mayHaveFailed, type FlowFacts, type MethodEvent } from "./flow-reference.ts";
import { digest, stepValue, type StepNode } from "./action.ts";
import { mayRefuse } from "./crew-hooks.ts";
import { mayBeAway, mayHaveWritten } from "./crew.ts";
import type { Variants } from "./deploys.ts";
import type { Review } from "./flow.ts";
import { eventWaitKey } from "./outside-events.ts";
import {
  childKey,
  childrenOf,
  COUNTER,
  shown,
  shownReport,
  turns,
  type ChildrenNode,
  type ProgramNode,
  type ToolNode,
  type WaitNode,
} from "./program.ts";

/** What the outside knows of the choices that a run could make. */
export interface Facts {
  /** True when an answer to this wait was sent, and no other one was accepted. */
  mayBeAnsweredBy(key: string, kind: WaitNode["kind"], value: JsonValue): boolean;
  /** True when an answer to this wait was accepted. */
  answered(key: string): boolean;
  /** What the step or wait at this place has on record; of a wait for an event what was sent, or that nothing was. */
  recorded(key: string): JsonValue | undefined;
  /** What a step may have been asked that the first code asks `input`. */
  asked(input: string): readonly string[];
  /** True when the step was under way when a host died or its storage gave way. */
  wasCutOff(key: string): boolean;
  /** How often a tool made of steps has failed half through. */
  toolFailures(key: string): number;
  /** How many executions of a tool made of steps have failed, half through or inside. */
  toolAttempts(key: string): number;
  /** The child that answers the place first; undefined when none was asked for. */
  child(key: string): ChildFacts | undefined;
  /** What the flow at this place has told of its methods, in that order. */
  methodEvents(flowKey: string): readonly MethodEvent[];
  /** What a person is told to have said of what the method at this place gave. */
  review(methodKey: string): Review | undefined;
}

/** What the outside knows of a child. */
export type ChildFacts = {
  readonly runId: string;
  /** What its parent's code asked it. */
  readonly input: string;
  /** As the child has it on record; undefined for one that was never started, or has not ended. */
  readonly report: ChildReport | undefined;
  /** True when its start failed so often that nobody tries it any more. */
  readonly givenUp: boolean;
};

/** `message` is the error's, `code` its code: as `errorName` joins them. */
type Failure = { readonly code: string; readonly message: string };

export class Reference {
  readonly #facts: Facts;
  readonly #variants: Variants;
  /** Keys of the events that must have been told for what was checked to be true. */
  readonly told: string[] = [];
  readonly #flowFacts: FlowFacts = {
    review: (methodKey) => this.#facts.review(methodKey),
    mayBeAnsweredBy: (key, kind, value) => this.#facts.mayBeAnsweredBy(key, kind, value),
    answered: (key) => this.#facts.answered(key),
    recorded: (key) => this.#facts.recorded(key),
    methodEvents: (flowKey) => this.#facts.methodEvents(flowKey),
    mayReturn: (node, place, value) => this.mayReturn(node, place, value),
    mayFail: (node, key, failure) => this.mayFail(node, key, failure),
    variants: (body) => this.#variants.of(body),
  };

  constructor(facts: Facts, variants: Variants) {
    this.#facts = facts;
    this.#variants = variants;
  }

  /** True when `node` at `key`, asked `input`, may return `value`. */
  mayReturn(
    node: ProgramNode,
    place: { key: string; input: string },
    value: JsonValue | undefined,
  ): boolean {
    const { key, input } = place;
    const child = (
      index: number | string,
      of: ProgramNode,
      work: { input: string; value: JsonValue | undefined },
    ): boolean =>
      this.mayReturn(of, { key: childKey(key, index, of), input: work.input }, work.value);
    switch (node.type) {
      case "step":
        return (
          returns(node) &&
          this.#facts.asked(input).some((asked) => same(shown(stepValue(node, key, asked)), value))
        );
      case "sequence": {
        if (!isArray(value) || value.length !== node.body.length) return false;
        let asked = input;
        return node.body.every((each, index) => {
          const fits = child(index, each, { input: asked, value: value[index] });
          asked = digest(asked, value[index]);
          return fits;
        });
      }
      case "parallel":
        if (!isArray(value) || value.length !== node.body.length) return false;
        return node.body.every((each, index) => child(index, each, { input, value: value[index] }));
      case "race": {
        const { won, value: inner } = fields(value);
        const winner = typeof won === "number" ? node.body[won] : undefined;
        return winner !== undefined && child(won as number, winner, { input, value: inner });
      }
      case "try": {
        const { ok, caught, value: inner, last } = fields(value);
        const ended =
          node.last === null
            ? last === null
            : child("finally", node.last, { input: digest(input, "finally"), value: last });
        if (!ended) return false;
        if (typeof caught !== "string") return child("try", node.body, { input, value: ok });
        if (!this.mayFail(node.body, childKey(key, "try", node.body), failureOf(caught)))
          return false;
        return child("catch", node.rescue, { input: digest(input, caught), value: inner });
      }
      case "wait": {
        const { answer } = fields(value);
        if (answer === undefined) return false;
        if (this.#facts.mayBeAnsweredBy(key, node.kind, answer)) return true;
        return (
          node.dueMs !== null && node.otherwise && answer === "nobody" && !this.#facts.answered(key)
        );
      }
      case "event": {
        const heard = fields(this.#facts.recorded(eventWaitKey(node, key)));
        const { heard: said } = fields(value);
        if (heard["payload"] !== undefined) return same(heard["payload"], said);
        return (
          heard["otherwise"] === true && node.dueMs !== null && node.otherwise && said === "nobody"
        );
      }
      case "timer":
        return value === "slept";
      case "loop": {
        const counter = { ...COUNTER, name: node.name };
        const counterKey = childKey(key, "count", counter);
        return this.#facts.asked(input).some((asked) => {
          const seed = digest(input, shown(stepValue(counter, counterKey, asked)));
          if (!isArray(value) || value.length !== turns(node.most, seed)) return false;
          return value.every((each, turn) =>
            child(turn, node.body, { input: digest(seed, value.slice(0, turn)), value: each }),
          );
        });
      }
      case "hold":
        return this.#variants.of(node).some(({ body }) => child("in", body, { input, value }));
      case "tool":
        return this.#variants.of(node).some((variant) => {
          if (variant.more === null) return child("in", variant.body, { input, value });
          const { value: inner, more } = fields(value);
          return (
            child("in", variant.body, { input, value: inner }) &&
            child("more", variant.more, { input: digest(input, inner), value: more })
          );
        });
      case "children":
        return this.#childrenMayReturn(node, place, value);
      case "conversation":
        return mayHaveSaid(node, { key, facts: this.#facts }, value);
      case "crew":
        return mayHaveWritten(node, place, value);
      case "flow":
        return mayHaveEnded(node, { ...place, facts: this.#flowFacts }, value);
      case "parts": {
        const { parts } = fields(value);
        if (!isArray(parts) || parts.length !== node.body.length) return false;
        return node.body.every((each, index) => {
          const { value: inner, error } = fields(parts[index]);
          return error === undefined
            ? child(index, each, { input, value: inner })
            : this.mayFail(each, childKey(key, index, each), error as Failure);
        });
      }
      case "now":
        return typeof value === "number";
      case "emit":
        if (value !== key) return false;
        this.told.push(key);
        return true;
      default:
        return unreachable(node);
    }
  }

  /** True when `node` at `key` may fail with `failure`. Failures do not depend on what is asked. */
  mayFail(node: ProgramNode, key: string, failure: Failure): boolean {
    const child = (index: number | string, of: ProgramNode): boolean =>
      this.mayFail(of, childKey(key, index, of), failure);
    switch (node.type) {
      case "step":
        return this.#stepMayFail(node, key, failure);
      case "sequence":
      case "parallel":
      case "race":
        return node.body.some((each, index) => child(index, each));
      case "try":
        return child("catch", node.rescue) || (node.last !== null && child("finally", node.last));
      case "wait":
        return (
          node.dueMs !== null &&
          !node.otherwise &&
          failure.code === "wait_expired" &&
          failure.message.includes(key) &&
          !this.#facts.answered(key)
        );
      case "event":
        return (
          node.dueMs !== null &&
          !node.otherwise &&
          failure.code === "wait_expired" &&
          failure.message.includes(key) &&
          this.#facts.recorded(eventWaitKey(node, key)) === undefined
        );
      case "loop":
        return Array.from({ length: node.most }).some((_, turn) => child(turn, node.body));
      case "tool":
        return this.#toolMayFail(node, key, failure);
      case "hold":
        return this.#variants.of(node).some(({ body }) => child("in", body));
      case "children":
        return this.#childrenMayFail(node, key, failure);
      case "conversation":
        return mayBreakOff(node, { key, facts: this.#facts }, failure);
      case "crew":
        return mayBeAway(node, failure) || (node.hooks != null && mayRefuse(node.hooks, failure));
      case "flow":
        return mayHaveFailed(node, { key, facts: this.#flowFacts }, failure);
      default:
        return false;
    }
  }

  #childrenMayReturn(
    node: ChildrenNode,
    { key, input }: { key: string; input: string },
    value: JsonValue | undefined,
  ): boolean {
    const places = childrenOf(node).flatMap(({ at }) =>
      at.map((_, part) => ({ part, child: this.#facts.child(joinKey(key, at[0])) })),
    );
    const mayAnswer = (index: number, answer: JsonValue | undefined): boolean => {
      const place = places[index];
      if (place?.child === undefined || place.child.input !== input) return false;
      return reportsOf(place.child).some((report) => {
        if (node.answer === "report") return isReport(cut(report, node.maxOutput), answer);
        if (report.status !== "completed" || isTooLong(report, node.maxOutput)) return false;
        if (node.answer === "output") return same(report.output, answer);
        return same(partOf(report, place.part)["value"], answer);
      });
    };
    if (node.wants === "first") {
      const { won, value: answer } = fields(value);
      return typeof won === "number" && mayAnswer(won, answer);
    }
    if (!isArray(value) || value.length !== places.length) return false;
    return value.every((answer, index) => mayAnswer(index, answer));
  }

  #childrenMayFail(node: ChildrenNode, key: string, failure: Failure): boolean {
    if (failure.code === "timeout" && node.dueMs !== null && failure.message.includes(key))
      return true;
    if (node.answer === "report") return false;
    return childrenOf(node).some(({ at }) => {
      const child = this.#facts.child(joinKey(key, at[0]));
      return (child === undefined ? [] : reportsOf(child)).some((report) => {
        if (report.error !== undefined) return isFailure(report.error, failure);
        if (isTooLong(report, node.maxOutput)) return failure.code === "value_too_large";
        return at.some((_, part) => {
          const { error } = node.answer === "parts" ? partOf(report, part) : {};
          return error !== undefined && isFailure(error as Failure, failure);
        });
      });
    });
  }

  /** Fails as what is inside does, or half through: when it is not tried again. */
  #toolMayFail(node: ToolNode, key: string, failure: Failure): boolean {
    const parts = this.#variants
      .of(node)
      .flatMap(({ body, more }): [string, ProgramNode][] => [
        ["in", body],
        ...(more === null ? [] : [["more", more] as [string, ProgramNode]]),
      ]);
    if (parts.some(([at, part]) => this.mayFail(part, childKey(key, at, part), failure)))
      return true;
    const isLast = this.#facts.toolAttempts(key) >= DEFAULT_RETRY.maxAttempts || leavesOpen(node);
    return (
      this.#facts.toolFailures(key) > 0 &&
      isLast &&
      failure.code === "unavailable" &&
      failure.message === `not yet: ${key}`
    );
  }

  #stepMayFail(node: StepNode, key: string, { code, message }: Failure): boolean {
    if (!message.includes(key)) return false;
    switch (node.ending) {
      case "error":
        return code === "tool_failed";
      case "plain":
        return (
          code === { model: "model_failed", tool: "tool_failed", effect: "internal" }[node.kind]
        );
      case "hopeless":
        return code === "unavailable";
      case "away": // a clock that is set forward ends what is waited for
        return code === "model_unavailable";
      case "slow":
        return code === "timeout";
      case "once":
      case "poisonOnce":
        return code === "outcome_unknown" && this.#facts.wasCutOff(key);
      default:
        return false;
    }
  }
}

function returns({ ending }: StepNode): boolean {
  return ending === "value" || ending === "flaky" || ending === "away" || ending === "once";
}

/** True when the code may go on while steps below are still under way; a tool in that state is not tried again. */
function leavesOpen(node: ProgramNode): boolean {
  switch (node.type) {
    case "race":
    case "parallel":
    case "children":
    case "flow":
      return true;
    case "sequence":
    case "parts":
      return node.body.some(leavesOpen);
    case "try":
      return [node.body, node.rescue, ...(node.last === null ? [] : [node.last])].some(leavesOpen);
    case "tool":
      return leavesOpen(node.body) || (node.more !== null && leavesOpen(node.more));
    case "loop":
    case "hold":
      return leavesOpen(node.body);
    default:
      return false;
  }
}

/** How the errors of children begin whose start was given up. */
const NOT_STARTED = "the run could not be started";

/** All that a child's parent may have been told of its end. */
function reportsOf({ runId, report, givenUp }: ChildFacts): readonly ChildReport[] {
  const error = { code: "unavailable", message: NOT_STARTED, retryable: false } as const;
  const failed = { runId, status: "failed", error, usage: NO_USAGE } as const;
  return [...(report === undefined ? [] : [report]), ...(givenUp ? [failed] : [])];
}

function isTooLong({ output }: ChildReport, limit: number | null): boolean {
  return output !== undefined && limit !== null && JSON.stringify(output).length > limit;
}

function cut(report: ChildReport, limit: number | null): ChildReport {
  if (!isTooLong(report, limit)) return report;
  const { output: _, ...rest } = report;
  return { ...rest, omitted: true };
}

function partOf({ output }: ChildReport, index: number): Fields {
  const { parts } = fields(output);
  return fields(isArray(parts) ? parts[index] : undefined);
}

function isFailure(expected: Failure, { code, message }: Failure): boolean {
  const fits =
    expected.message === NOT_STARTED
      ? message.startsWith(NOT_STARTED)
      : message === expected.message;
  return fits && expected.code === code;
}

function isReport(expected: ChildReport, answer: JsonValue | undefined): boolean {
  const { error, ...rest } = fields(answer);
  const { error: wanted, ...others } = fields(shownReport(expected));
  if (!same(others as JsonValue, rest as JsonValue)) return false;
  if (typeof wanted !== "string" || typeof error !== "string") return wanted === error;
  return isFailure(failureOf(wanted), failureOf(error));
}

export function failureOf(name: string): Failure {
  const bar = name.indexOf("|");
  return { code: name.slice(0, bar), message: name.slice(bar + 1) };
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

type Fields = { readonly [name: string]: JsonValue | undefined };

function fields(value: JsonValue | undefined): Fields {
  return isJsonObject(value) ? value : {};
}
