// Random flows of which one method at a time is at work: they pause for people, and call crews and other flows.
import type { Random } from "../support/random.ts";
import type { Method, Review, Trigger } from "./flow-program.ts";

type Draft = { -readonly [Field in keyof Method]: Method[Field] };

/** A line of methods: each trigger is used by one method alone, so nothing runs beside anything. */
export function lineOf(random: Random, inner: () => readonly Method[]): readonly Method[] {
  const methods: Draft[] = [{ name: "m0", delay: 1, start: true }];
  /** Triggers that no method waits for. */
  const free: string[] = ["m0"];
  const ended: string[] = ["m0"];
  const labels: string[] = [];
  const count = 3 + random.below(6);
  for (let index = 1; index < count && free.length > 0; index++) {
    const name = `m${index}`;
    const method: Draft = { name, delay: 1, listen: taken(random, free, ended) };
    const own = does(random, method, inner);
    labels.push(...own);
    free.push(...(own.length > 0 ? own : [name]));
    ended.push(name);
    methods.push(method);
  }
  const unused = labels.filter((label) => free.includes(label));
  if (unused.length > 0 && random.chance(0.4)) loop(random, methods, unused);
  return methods;
}

/** One free trigger, any of two, or one with what ended before. */
function taken(random: Random, free: string[], ended: readonly string[]): Trigger {
  const [one] = free.splice(random.below(free.length), 1) as [string];
  if (free.length > 0 && random.chance(0.3)) {
    const [other] = free.splice(random.below(free.length), 1) as [string];
    return { or: [one, other] };
  }
  return random.chance(0.15) ? { and: [one, random.pick(ended)] } : one;
}

/** Gives the method its work, and returns the labels that it may give. */
function does(random: Random, method: Draft, inner: () => readonly Method[]): readonly string[] {
  const { name } = method;
  if (random.chance(0.5)) method.takes = true;
  if (random.chance(0.3)) method.writes = [{ op: "append", field: "log", value: name }];
  if (random.chance(0.03)) method.fail = [1];
  const labels = Array.from({ length: 1 + random.below(3) }, (_, at) => `${at}`);
  if (random.chance(0.4)) {
    method.review = reviewOf(
      random,
      labels.map((at) => `H${name.slice(1)}${at}`),
    );
    return method.review.emit ?? [];
  }
  if (random.chance(0.25)) {
    const emit = labels.map((at) => `L${name.slice(1)}${at}`);
    method.emit = emit;
    method.labels = Array.from({ length: 1 + random.below(3) }, () => random.pick(emit));
    return emit;
  }
  if (random.chance(0.2)) method.crew = 1 + random.below(2);
  else if (random.chance(0.25)) method.inner = inner();
  else if (random.chance(0.15)) method.none = true;
  return [];
}

function reviewOf(random: Random, emit: readonly string[]): Review {
  const count = 1 + random.below(3);
  if (random.chance(0.35))
    return { answers: Array.from({ length: count }, () => (random.chance(0.4) ? "" : "fine")) };
  return {
    emit,
    answers: Array.from({ length: count }, () =>
      random.chance(0.75) ? random.pick(emit) : random.chance(0.2) ? "cannot tell" : "",
    ),
    ...(random.chance(0.4) ? { defaultOutcome: random.pick(emit) } : {}),
  };
}

function loop(random: Random, methods: Draft[], labels: readonly string[]): void {
  const able = methods.filter(({ listen, emit }) => listen !== undefined && emit === undefined);
  if (able.length === 0) return;
  const method = random.pick(able);
  if (method.listen !== undefined) method.listen = { or: [method.listen, random.pick(labels)] };
}
