// Random flows. One program depends on its seed and its number alone.
import { Random } from "../support/random.ts";
import type {
  FlowProgram,
  Input,
  Kickoff,
  Method,
  Review,
  Trigger,
  Write,
} from "./flow-program.ts";
import { lineOf } from "./generate-line.ts";
import { talkFlow } from "./generate-talk.ts";

/** Weight of each kind. */
const KINDS = [
  ...Array<"rich">(8).fill("rich"),
  ...Array<"plain">(5).fill("plain"),
  ...Array<"line">(5).fill("line"),
  ...Array<"talk">(2).fill("talk"),
] as const;

type Draft = { -readonly [Field in keyof Method]: Method[Field] };

/**
 * Plain programs have starts, listeners, routers and loops; rich ones have everything that runs at once; lines pause for people,
 * and call crews and flows; talks take turns.
 */
export function flowProgram(seed: number, index: number): FlowProgram {
  const random = new Random(seed).fork(index);
  const id = `f${seed}-${index}`;
  const kind = random.pick(KINDS);
  if (kind === "talk") return { id, ...talkFlow(random), kickoffs: [] };
  const inner = (): readonly Method[] => new Maker(random, { isRich: false, most: 3 }).methods();
  const isRich = kind === "rich";
  const methods =
    kind === "line" ? lineOf(random, inner) : new Maker(random, { isRich, inner }).methods();
  if (kind === "plain") return { id, methods, kickoffs: [{ inputs: {} }] };
  const persist = random.chance(0.3)
    ? random.pick(["class", "class", "method", "both"] as const)
    : undefined;
  const saving: readonly Method[] =
    persist === "method" || persist === "both"
      ? methods.map((method) => (random.chance(0.5) ? { ...method, persist: true } : method))
      : methods;
  const isTyped = random.chance(0.5);
  return {
    id,
    methods: saving,
    ...(kind === "line" && random.chance(0.7) ? { pauses: true } : {}),
    ...(isTyped ? { model: true } : {}),
    ...(random.chance(0.1) ? { maxMethodCalls: 1 + random.below(3) } : {}),
    ...(persist === undefined ? {} : { persist }),
    kickoffs: kickoffsOf(random, { saves: persist !== undefined, isTyped }),
  };
}

/** The program of an id, as `f31415-372`. Throws for an id that no seed gives. */
export function flowNamed(id: string): FlowProgram {
  const [, seed, index] = /^f(\d+)-(\d+)$/.exec(id) ?? [];
  if (seed === undefined || index === undefined) throw new Error(`there is no program ${id}`);
  return flowProgram(Number(seed), Number(index));
}

type MakerOptions = {
  readonly isRich: boolean;
  /** At most so many methods more than three. @default 6 */
  readonly most?: number;
  /** Methods of a flow within the flow. */
  readonly inner?: () => readonly Method[];
};

class Maker {
  readonly #random: Random;
  readonly #isRich: boolean;
  readonly #most: number;
  readonly #inner: (() => readonly Method[]) | undefined;
  readonly #labels: string[] = [];

  constructor(random: Random, { isRich, most = 6, inner }: MakerOptions) {
    this.#random = random;
    this.#isRich = isRich;
    this.#most = most;
    this.#inner = inner;
  }

  methods(): readonly Method[] {
    const count = 3 + this.#random.below(this.#most + 1);
    const ranks = shuffled(this.#random, [...Array(count).keys()]);
    const methods: Draft[] = [];
    for (let index = 0; index < count; index++)
      methods.push(
        this.#method(index, {
          names: methods.map(({ name }) => name),
          delay: delayOf(this.#random, ranks[index] ?? 0),
        }),
      );
    if (this.#labels.length > 0 && this.#random.chance(0.3)) this.#loop(methods);
    return methods;
  }

  #method(index: number, { names, delay }: { names: readonly string[]; delay: number }): Draft {
    const random = this.#random;
    const method: Draft = { name: `m${index}`, delay };
    const triggers = [...names, ...this.#labels];
    if (index === 0 || random.chance(0.08)) method.start = true;
    else method.listen = triggerOf(random, triggers);
    if (this.#isRich && index > 0 && this.#labels.length > 0 && random.chance(0.1)) {
      method.start = triggerOf(random, this.#labels);
      if (random.chance(0.6)) delete method.listen;
    }
    const mayRoute = index > 0 ? method.start !== true : this.#isRich && random.chance(0.12);
    if (mayRoute && random.chance(0.3)) this.#route(method, index);
    else if (this.#isRich && method.start !== true && random.chance(0.08))
      method.review = this.#review(index);
    if (this.#isRich) this.#enrich(method);
    return method;
  }

  #route(method: Draft, index: number): void {
    const random = this.#random;
    const emit = Array.from({ length: 1 + random.below(3) }, (_, at) => `L${index}${at}`);
    method.emit = emit;
    method.labels = Array.from({ length: 1 + random.below(3) }, () =>
      this.#isRich && random.chance(0.08)
        ? random.pick([null, "", true, false, 7])
        : random.pick(emit),
    );
    this.#labels.push(...emit);
  }

  #review(index: number): Review {
    const random = this.#random;
    const count = 1 + random.below(3);
    if (random.chance(0.3))
      return { answers: Array.from({ length: count }, () => (random.chance(0.5) ? "" : "fine")) };
    const emit = Array.from({ length: 1 + random.below(3) }, (_, at) => `H${index}${at}`);
    this.#labels.push(...emit);
    const answers = Array.from({ length: count }, () =>
      random.chance(0.75) ? random.pick(emit) : random.chance(0.3) ? "cannot tell" : "",
    );
    return {
      emit,
      answers,
      ...(random.chance(0.4) ? { defaultOutcome: random.pick(emit) } : {}),
    };
  }

  #enrich(method: Draft): void {
    const random = this.#random;
    if (random.chance(0.5)) method.takes = true;
    if (random.chance(0.05)) method.fail = [1 + random.below(2)];
    if (random.chance(0.3)) method.writes = [writeOf(random, method.name)];
    if (random.chance(0.15)) method.none = true;
    else if (random.chance(0.05) && method.emit === undefined && this.#inner !== undefined)
      method.inner = this.#inner();
    if (random.chance(0.1) && method.inner === undefined) method.sync = true;
  }

  /** Makes one listener wait for a later label as well. */
  #loop(methods: Draft[]): void {
    const listeners = methods.filter(
      ({ start, emit, review }) =>
        start === undefined && emit === undefined && review === undefined,
    );
    if (listeners.length === 0) return;
    const method = this.#random.pick(listeners);
    if (method.listen !== undefined)
      method.listen = { or: [method.listen, this.#random.pick(this.#labels)] };
  }
}

/** With a fraction, so that sums of delays do not fall together. */
function delayOf(random: Random, rank: number): number {
  return 1 + rank + random.below(1000) / 1000;
}

function triggerOf(random: Random, names: readonly string[], depth = 0): Trigger {
  if (names.length === 1 || depth > 3 || random.chance(0.5)) return random.pick(names);
  const count = 2 + random.below(Math.min(2, names.length - 1));
  const parts = shuffled(random, names)
    .slice(0, count)
    .map((name) => (random.chance(0.35) ? triggerOf(random, names, depth + 1) : name));
  return random.chance(0.5) ? { or: parts } : { and: parts };
}

function writeOf(random: Random, name: string): Write {
  return random.pick<Write>([
    { op: "append", field: "log", value: name },
    { op: "set", field: "text", value: name },
    { op: "add", field: "n", value: 1 + random.below(3) },
    { op: "set", field: "flag", value: random.chance(0.5) },
    { op: "set", field: "ratio", value: random.below(9) / 4 },
    { op: "set", field: "inner", value: { x: random.below(5), tags: [name] } },
    { op: "set", field: "counts", value: { [name]: 1 } },
  ]);
}

/** Inputs of typed fields: some are converted, some do not fit. */
const INPUTS: Readonly<Record<string, readonly Input[]>> = {
  n: [10, "10", " 7 ", "3.0", true, "many", 1.5, null],
  flag: [true, "yes", "off", 1, 0, "maybe", 2],
  ratio: [1.5, "2.5", 3, ".5", "x", true],
  inner: [{ x: 4 }, { x: "4" }, {}, { x: "four" }, { tags: ["a"] }, { tags: [1] }, "inner"],
  counts: [{ a: 1 }, { a: "2" }, {}, { a: "two" }, []],
};

function kickoffsOf(
  random: Random,
  { saves, isTyped }: { readonly saves: boolean; readonly isTyped: boolean },
): readonly Kickoff[] {
  const inputs: Record<string, Input> = {};
  if (random.chance(0.3)) inputs["text"] = "in";
  if (isTyped)
    for (const [field, values] of Object.entries(INPUTS))
      if (random.chance(0.12)) inputs[field] = random.pick(values);
  if (!saves) return [{ inputs }];
  const again: Kickoff = random.chance(0.6)
    ? { inputs: { id: "A", ...(random.chance(0.4) ? { text: "again" } : {}) } }
    : {
        inputs: random.chance(0.5) ? { id: "B" } : {},
        restore: random.chance(0.8) ? "A" : "nobody",
      };
  const third: readonly Kickoff[] = random.chance(0.4) ? [{ inputs: { id: "A" } }] : [];
  return [{ inputs: { ...inputs, id: "A" } }, again, ...third];
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const item = mixed[at] as Item;
    mixed[at] = mixed[other] as Item;
    mixed[other] = item;
  }
  return mixed;
}
