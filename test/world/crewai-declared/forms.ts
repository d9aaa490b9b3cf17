// Random documents of `crewai.flow/v1`: methods that wait for each other, routers, lists, templates, and forms that are not right.
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { Random } from "../support/random.ts";
import { randomCondition, randomExpression } from "./expressions.ts";
import { STATE } from "./state.ts";

export function expression(expr: string): JsonObject {
  return { call: "expression", expr };
}

/** Calls a function that both sides have: it gives back its arguments. */
export function echo(arguments_: JsonObject): JsonObject {
  return { call: "code", ref: "world_functions:echo", with: arguments_ };
}

/** A flow of these methods over the usual state. */
export function flowOf(methods: JsonObject, more: JsonObject = {}): JsonObject {
  const state = { type: "dict", default: STATE };
  return { schema: "crewai.flow/v1", name: "World", state, methods, ...more };
}

export function expressionFlow(random: Random): JsonObject {
  const expr = randomExpression(random);
  const written = random.chance(0.1) ? `\${${expr}}` : expr;
  return flowOf({
    first: { start: true, do: expression("'first'") },
    second: { listen: "first", do: expression(written) },
  });
}

export function templateFlow(random: Random): JsonObject {
  const part = (): JsonValue =>
    random.pick<JsonValue>([
      `\${${randomExpression(random)}}`,
      `n: \${state.n}, \${${randomExpression(random)}}!`,
      " ${state.items} ",
      "plain",
      7,
      null,
      ["${state.tags}", "${state.text}"],
      { deep: "${state.none}x", more: true },
    ]);
  return flowOf({
    first: { start: true, do: expression("'first'") },
    second: { listen: "first", do: echo({ a: part(), b: part() }) },
  });
}

/** A tool that both sides have, called with arguments that fit, or nearly. */
export function toolFlow(random: Random): JsonObject {
  const text = random.pick<JsonValue>(["tea", "${state.text}", "<${state.n}>", "${outputs.first}"]);
  const count = random.pick<JsonValue>([2, "${state.n}", "${size(state.items)}", "${state.n + 1}"]);
  const given = random.chance(0.9)
    ? { text, ...(random.chance(0.6) ? { count } : undefined) }
    : { count };
  return flowOf({
    first: { start: true, do: expression("'first'") },
    second: { listen: "first", do: { call: "tool", ref: "world_functions:EchoTool", with: given } },
    third: { listen: "second", do: expression("[outputs.second, outputs.second.text]") },
  });
}

const LABELS = ["big", "small", "5", "true", "True", "2.0", "2"] as const;

export function routerFlow(random: Random): JsonObject {
  const results = [
    "'big'",
    "'small'",
    "state.n",
    "state.flag",
    "2.0",
    "null",
    "'nobody'",
    "['big']",
    "state.n > 3 ? 'big' : 'small'",
  ];
  const heard = LABELS.filter(() => random.chance(0.45));
  const listeners = Object.fromEntries(
    heard.map((label, index) => [
      `heard_${index}`,
      { listen: label, do: expression(`'${label} was heard'`) },
    ]),
  );
  const more = random.chance(0.4)
    ? {
        last: {
          listen: random.pick<JsonValue>([
            { and: ["first", "choose"] },
            { or: ["first", "choose"] },
          ]),
          do: expression("'last'"),
        },
      }
    : {};
  return flowOf({
    first: { start: true, do: expression("1") },
    choose: { listen: "first", router: true, do: expression(random.pick(results)) },
    ...listeners,
    ...more,
  });
}

export function eachFlow(random: Random): JsonObject {
  const list = random.pick([
    "state.items",
    "${state.tags}",
    "state.people",
    "[]",
    "'text'",
    "state.items.map(x, [x])",
    "state.none",
  ]);
  const step = (name: string): JsonObject => ({
    name,
    ...(random.chance(0.3)
      ? { if: random.pick([randomCondition(random), "item != 2", "${item == item}"]) }
      : undefined),
    action: random.pick<JsonObject>([
      expression("item"),
      expression("[item, item]"),
      expression("size(state.items)"),
      expression(randomExpression(random)),
      echo({ it: "${item}", text: "<${item}>" }),
    ]),
  });
  const second = random.chance(0.5)
    ? [
        {
          name: "two",
          action: expression(
            random.pick(["outputs.one", "[outputs.one, item]", "has(outputs.one)"]),
          ),
        },
      ]
    : [];
  return flowOf({
    first: { start: true, do: { call: "each", in: list, do: [step("one"), ...second] } },
  });
}

/** Each changes one thing of a sound document. */
const FORMS: ReadonlyArray<(random: Random) => JsonObject> = [
  () => simple({ description: "x" }),
  () => simple({ unknown: 1 }),
  () => simple({ name: null }),
  () => ({ schema: "crewai.flow/v2", name: "W", methods: METHODS }),
  () => ({ name: "W", methods: METHODS }),
  () => ({ schema: "crewai.flow/v1", methods: METHODS }),
  () => ({ schema: "crewai.flow/v1", name: "W", methods: {} }),
  () => ({ schema: "crewai.flow/v1", name: "W", state: { type: "unknown" }, methods: METHODS }),
  () => ({ schema: "crewai.flow/v1", name: "W", state: null, methods: METHODS }),
  () =>
    simple({
      config: { max_method_calls: 3, stream: false, tracing: true, suppress_flow_events: true },
    }),
  () => simple({ config: { max_method_calls: 0 } }),
  () => simple({ config: { defer_trace_finalization: true, input_provider: null } }),
  () => simple({ persist: null }),
  () => changed({ listen: null, emit: null, human_feedback: null, persist: null }),
  () => changed({ start: false, listen: "first" }, "second"),
  () => changed({ listen: { or: ["first"] } }, "second"),
  () => changed({ listen: { and: ["first"] } }, "second"),
  () => changed({ listen: { or: [] } }, "second"),
  () => changed({ listen: { and: ["first", "nobody"] } }, "second"),
  () => changed({ listen: { and: ["first"], or: ["first"] } }, "second"),
  () => changed({ listen: "second" }),
  () => changed({ emit: ["x"] }),
  () => changed({ unknown: 1 }),
  () => changed({ start: "later" }),
  () => changed({ start: { or: ["later", "never"] } }, "second"),
  () => changed({ router: true, emit: ["second_label"], do: expression("'second_label'") }),
  () => changed({ do: { call: "script", code: "return 5" } }),
  () => changed({ do: { call: "tool", ref: "google_gmail/send_email", with: { to: "a@b.c" } } }),
  () => changed({ do: { call: "code", ref: "world_functions:nobody" } }),
  () => changed({ do: { ref: "world_functions:echo", with: { a: "${state.n}" } } }),
  () => changed({ do: { call: "each", in: "state.items", do: [] } }),
  () => changed({ do: { call: "expression" } }),
  () => changed({ do: expression("") }),
  () => changed({ do: expression("${}") }),
  () => changed({ do: expression("unknown_root.x") }),
  () => changed({ do: expression("state.n +") }),
  () => changed({ do: echo({ a: "${state.n" }) }),
  () => changed({ do: echo({ a: "${}" }) }),
  (random) =>
    changed({
      do: expression(`string(now()) == string(now()) && ${randomCondition(random)} ? 1 : 0`),
    }),
  () => changed({ do: expression("now() - now() == duration('0s')") }, "second"),
];

export function formFlow(random: Random): JsonObject {
  return random.pick(FORMS)(random);
}

const METHODS: JsonObject = {
  first: { start: true, do: expression("1") },
  second: { listen: "first", do: expression("outputs.first + 1") },
};

function simple(more: JsonObject): JsonObject {
  return flowOf(METHODS, more);
}

function changed(fields: JsonObject, method: "first" | "second" = "first"): JsonObject {
  return flowOf({ ...METHODS, [method]: { ...(METHODS[method] as JsonObject), ...fields } });
}
