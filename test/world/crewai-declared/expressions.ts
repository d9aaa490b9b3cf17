// Random CEL expressions: mostly well-typed ones, and some that mix types or ask for what is not there.
import type { Random } from "../support/random.ts";

export type Type =
  | "int"
  | "double"
  | "text"
  | "flag"
  | "ints"
  | "texts"
  | "map"
  | "time"
  | "span"
  | "null";

const TYPES: readonly Type[] = [
  "int",
  "double",
  "text",
  "flag",
  "ints",
  "texts",
  "map",
  "time",
  "span",
  "null",
];
const MAX_DEPTH = 3;
/** Of all operands, those of a type that does not belong there. */
const ODD = 0.04;

type Maker = (random: Random, depth: number) => string;

/** A random expression over the state of `STATE`. */
export function randomExpression(random: Random): string {
  const expression = expressionOf(random, random.pick(TYPES), 0);
  // Its text differs for nearly every type, so it is never an operand.
  return random.chance(0.04) ? `string(${expression})` : expression;
}

/** A random expression that gives a truth value. */
export function randomCondition(random: Random): string {
  return expressionOf(random, "flag", 1);
}

function expressionOf(random: Random, type: Type, depth: number): string {
  const wanted = random.chance(ODD) ? random.pick(TYPES) : type;
  return certainlyOf(wanted)(random, depth);
}

/** For operands of `string()`, whose text differs between the sides for most types. */
function certainlyOf(type: Type): Maker {
  return (random, depth) => {
    const makers = depth >= MAX_DEPTH || random.chance(0.25) ? LEAVES[type] : NODES[type];
    return random.pick(makers)(random, depth + 1);
  };
}

function of(type: Type): Maker {
  return (random, depth) => expressionOf(random, type, depth);
}

/** Joins texts and operands. */
function made(texts: readonly string[], ...operands: readonly Maker[]): Maker {
  return (random, depth) =>
    texts.map((text, index) => text + (operands[index]?.(random, depth) ?? "")).join("");
}

function picked(...texts: readonly string[]): Maker {
  return (random) => random.pick(texts);
}

const int = of("int");
const double = of("double");
const text = of("text");
const flag = of("flag");
const ints = of("ints");
const texts = of("texts");
const map = of("map");
const time = of("time");
const span = of("span");
const any: Maker = (random, depth) => expressionOf(random, random.pick(TYPES), depth);
const digits: Maker = (random) => String(random.below(12));

const LEAVES: Readonly<Record<Type, readonly Maker[]>> = {
  int: [digits, picked("state.n", "state.zero", "state.o.a", "0x1F", "-3", "state.items[1]")],
  double: [picked("state.price", "2.5", "0.1", "1e3", "-1.5", "1.0", "double(state.n)", "1.5e-10")],
  text: [
    picked(
      "state.text",
      "state.emoji",
      '"a"',
      "'it'",
      '""',
      'r"a\\\\n"',
      '"\\u00e9"',
      "state.when",
      "outputs.first",
      '"""tri"""',
    ),
  ],
  flag: [picked("true", "false", "state.flag", "!state.flag")],
  ints: [picked("state.items", "[]", "[1, 2, 3]", "[3, 1]")],
  texts: [picked("state.tags", '["a", "b"]', "[state.text]")],
  map: [picked("state.o", '{"a": 1}', "{}", '{"k": [1, {"x": null}]}', "state.people[0]")],
  time: [
    picked(
      'timestamp("2024-01-31T00:00:00Z")',
      "timestamp(state.when)",
      'timestamp("1999-12-31T23:59:59Z")',
    ),
  ],
  span: [picked('duration("90s")', 'duration("1h30m")', 'duration("24h")', 'duration("-5m")')],
  null: [picked("null", "state.none", "state.o.none")],
};

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="] as const;

/** A comparison of two values of one type. */
function compared(side: Maker): Maker {
  return (random, depth) =>
    `${side(random, depth)} ${random.pick(COMPARISONS)} ${side(random, depth)}`;
}

function equal(side: Maker): Maker {
  return (random, depth) =>
    `${side(random, depth)} ${random.pick(["==", "!="])} ${side(random, depth)}`;
}

const chosen = (side: Maker): Maker => made(["(", " ? ", " : ", ")"], flag, side, side);

const NODES: Readonly<Record<Type, readonly Maker[]>> = {
  int: [
    made(["(", " + ", ")"], int, int),
    made(["(", " - ", ")"], int, int),
    made(["", " * "], int, digits),
    made(["", " / "], int, digits),
    made(["", " % "], int, digits),
    made(["-(", ")"], int),
    made(["size(", ")"], text),
    made(["size(", ")"], ints),
    made(["size(", ")"], map),
    made(["", ".size()"], texts),
    made(["", "[", "]"], ints, picked("0", "1", "2", "7")),
    made(["int(", ")"], double),
    made(["int(string(", "))"], certainlyOf("int")),
    made(["", ".a"], map),
    made(["", ".getFullYear()"], time),
    made(["", ".getMonth()"], time),
    made(["", ".getDayOfWeek()"], time),
    made(["", ".getHours()"], time),
    made(["", ".getDayOfYear()"], time),
    made(["", ".getMinutes()"], span),
    made(["", ".getSeconds()"], span),
    made(["int(", ")"], time),
    chosen(int),
  ],
  double: [
    made(["(", " + ", ")"], double, double),
    made(["(", " - ", ")"], double, double),
    made(["", " * "], double, double),
    made(["", " / "], double, picked("2.0", "0.5", "4.0", "state.price")),
    made(["double(", ")"], int),
    made(['double("', '.5")'], digits),
    chosen(double),
  ],
  text: [
    made(["(", " + ", ")"], text, text),
    made(["string(", ")"], certainlyOf("int")),
    made(["string(", ")"], certainlyOf("time")),
    made(["string(", ")"], certainlyOf("span")),
    made(["", "[", "]"], texts, picked("0", "1")),
    made(["(", ' in state.o ? "in" : "out")'], text),
    chosen(text),
  ],
  flag: [
    made(["(", " && ", ")"], flag, flag),
    made(["(", " || ", ")"], flag, flag),
    made(["!(", ")"], flag),
    compared(int),
    compared(double),
    compared(text),
    compared(time),
    compared(span),
    equal(ints),
    equal(map),
    equal(any),
    made(["", " == null"], any),
    made(["", " in "], int, ints),
    made(["", " in "], text, texts),
    made(["", " in "], text, map),
    made(["", ".contains(", ")"], text, text),
    made(["", ".startsWith(", ")"], text, text),
    made(["", ".endsWith(", ")"], text, text),
    made(["", ".matches(", ")"], text, picked('"^a"', '"[a-z]+"', '"."', '"^$"', 'r"\\\\d+"')),
    picked(
      "has(state.n)",
      "has(state.none)",
      "has(state.missing)",
      "has(state.o.a)",
      "has(state.o.zzz)",
    ),
    made(["", ".all(x, x > ", ")"], ints, digits),
    made(["", ".exists(x, x == ", ")"], ints, digits),
    made(["", ".exists_one(x, x > ", ")"], ints, digits),
    made(["bool(", ")"], picked('"true"', '"false"', '"x"')),
  ],
  ints: [
    made(["(", " + ", ")"], ints, ints),
    made(["", ".map(x, x * ", ")"], ints, digits),
    made(["", ".filter(x, x > ", ")"], ints, digits),
    made(["[", ", ", "]"], int, int),
    made(["", ".map(t, size(t))"], texts),
    made(["state.people.map(p, p.age + ", ")"], digits),
    chosen(ints),
  ],
  texts: [
    made(["[", ", ", "]"], text, text),
    made(["", ".map(x, string(x))"], picked("state.items", "[1, 2, 3]")),
    made(["", ".filter(t, t != ", ")"], texts, text),
    picked("state.people.map(p, p.name)", "state.people.filter(p, p.age > 30).map(p, p.name)"),
    made(["", '.map(t, t + "!")'], texts),
  ],
  map: [
    made(['{"a": ', ', "b": ', "}"], int, any),
    made(['{"list": ', "}"], ints),
    picked("state", "outputs", "state.people[1]", 'state["o"]'),
  ],
  time: [made(["(", " + ", ")"], time, span), made(["(", " - ", ")"], time, span), chosen(time)],
  span: [
    made(["(", " + ", ")"], span, span),
    made(["(", " - ", ")"], time, time),
    made(["duration(string(", ") + 's')"], certainlyOf("int")),
  ],
  null: [
    made(["(", " == null ? null : ", ")"], any, any),
    picked("state.missing", "outputs.nobody", "state.o.zzz"),
  ],
};
