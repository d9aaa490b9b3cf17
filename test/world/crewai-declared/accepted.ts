// Differences from CrewAI's declared flows that were looked into.
import type { AcceptedDifference } from "../support/accepted.ts";
import { expressionsOf, type Written } from "./expressions-of.ts";
import {
  hasNull,
  isDecided,
  isDivisionByZero,
  isEqualityOfMade,
  isEqualityOfTwoTypes,
  isForgotten,
  isIndexOfPython,
  isLogicOfOthers,
  isMethodOfMade,
  isMixed,
  isNegatedSpan,
  isMixedSum,
  isShownOtherwise,
  isSumOfFlags,
  isTextOfOther,
  isWholeOfText,
} from "./features.ts";
import { isRefusedForm } from "./refused-forms.ts";
import type { Difference, Program } from "./program.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { around, type Part, type Tree } from "./tree.ts";
import { isSameButFlags, isSameButFractions, isSameButTexts } from "./texts.ts";

const PAGE = "declarative-flows.md#differences-from-crewai";

/** Message of a side that failed; empty for one that completed. */
function failureOf(difference: Difference, side: "ours" | "theirs"): string {
  const outcome = difference[side];
  return outcome.status === "failed" ? outcome.message : "";
}

function onlyTheyFail(difference: Difference, pattern: RegExp): boolean {
  return difference.ours.status === "completed" && pattern.test(failureOf(difference, "theirs"));
}

function onlyWeFail(difference: Difference, pattern: RegExp): boolean {
  return difference.theirs.status === "completed" && pattern.test(failureOf(difference, "ours"));
}

/** Their choice between two values forgets why its condition failed. */
const LOST_ERROR = /_\?_:_ applied to '\(<class 'celpy\.evaluation\.CELEvalError'>/;

/** Fields that the schema requires and the inputs lack. */
function missingOf({ flow, inputs }: Program): readonly string[] {
  const schema = (flow["state"] as JsonObject)["json_schema"] as JsonObject;
  return ((schema["required"] ?? []) as readonly string[]).filter(
    (name) => !Object.hasOwn(inputs, name),
  );
}

type Feature = (tree: Tree, part: Part) => boolean;

/** True when an expression that the difference can come from has a part with the feature. */
function has(difference: Difference, feature: Feature): boolean {
  return expressionsOf(difference).some(({ tree }) =>
    tree.parts.some((part) => feature(tree, part)),
  );
}

/** True when an expression fails here, and the part of it that fails has the feature. */
function fails(difference: Difference, feature: Feature): boolean {
  return expressionsOf(difference).some(({ tree }) =>
    tree.failing.some((part) => feature(tree, part)),
  );
}

/** True when the flow cannot be loaded for a part of an expression that nothing comes to. */
function isRefusedUnreached(difference: Difference): boolean {
  return expressionsOf(difference).some(({ tree, isGuarded }: Written) =>
    tree.failing.some(
      (part) =>
        /cannot be used/.test(tree.failure(part) ?? "") && (isGuarded || !tree.isReached(part)),
    ),
  );
}

function bothGave(difference: Difference): [JsonValue, JsonValue] | undefined {
  const { aspect, ours, theirs } = difference;
  return aspect === "value" && ours.status === "completed" && theirs.status === "completed"
    ? [ours.value, theirs.value]
    : undefined;
}

function isGivenWhole(difference: Difference): boolean {
  const gave = bothGave(difference);
  return gave !== undefined && isSameButFractions(...gave);
}

function rootOfRouter(difference: Difference): { tree: Tree; root: Part } | undefined {
  if (difference.program.kind !== "router") return undefined;
  const [written] = expressionsOf(difference);
  const root = written?.tree.root;
  return written === undefined || root === undefined ? undefined : { tree: written.tree, root };
}

export const ACCEPTED: readonly AcceptedDifference<Difference>[] = [
  {
    id: "D1",
    upstream:
      "`string()` and texts around `${…}` show values in Python's form: `True`, `None`, `2.0`, `[1, 2]`, `ListType([IntType(1)])`.",
    ours: "They are shown in CEL's and JSON's form: `true`, `null`, `2`, `[1,2]`.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) => {
      if (onlyTheyFail(difference, /invalid literal for int\(\).*\d\.0'/))
        return has(difference, isWholeOfText);
      const gave = bothGave(difference);
      return (
        gave !== undefined &&
        isSameButTexts(...gave) &&
        expressionsOf(difference).some(
          ({ tree, isInText }) =>
            (isInText && isShownOtherwise(tree, tree.root)) ||
            tree.parts.some((part) => isTextOfOther(tree, part)),
        )
      );
    },
  },
  {
    id: "D2",
    upstream:
      "An int and a double cannot be compared or added, or the result is whole: `7 / 2.0` is 3.",
    ours: "Both kinds of number are mixed: `7 / 2.0` is 3.5. JSON does not distinguish 2 and 2.0.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      (isGivenWhole(difference) && has(difference, isMixedSum)) ||
      (onlyTheyFail(
        difference,
        /overload.*(IntType.*(DoubleType|'float')|(DoubleType|'float').*IntType)/s,
      ) &&
        has(difference, isMixed)),
  },
  {
    id: "D3",
    upstream: "`==` and `!=` of two types fail.",
    ours: "They are different, as in CEL.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      (onlyTheyFail(difference, /overload.*relation_(eq|ne|in)|no such overload: .* [!=]= /s) &&
        has(difference, isEqualityOfTwoTypes)) ||
      (onlyTheyFail(difference, LOST_ERROR) &&
        has(
          difference,
          (tree, part) =>
            isEqualityOfTwoTypes(tree, part) && around(part).some(({ op }) => op === "?:"),
        )),
  },
  {
    id: "D4",
    upstream: "Division by 0.0 gives `Infinity`, which JSON lacks.",
    ours: "The expression fails with a message about it.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /gave the number (-?Infinity|NaN)/) &&
      JSON.stringify(difference.theirs).includes("Infinity") &&
      has(difference, isDivisionByZero),
  },
  {
    id: "D5",
    upstream: "A truth value counts as the number 1 or 0 in sums and comparisons.",
    ours: "It is no number: the expression fails, as in CEL. `int(flag)` converts it.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) => {
      if (onlyWeFail(difference, /no such overload: .*\bbool\b/))
        return fails(difference, isSumOfFlags);
      const gave = bothGave(difference);
      return gave !== undefined && isSameButFlags(...gave) && has(difference, isSumOfFlags);
    },
  },
  {
    id: "D6",
    upstream: "Unreached parts of an expression may mix types.",
    ours: "Operators and functions without a meaning for the types in the text are refused when the flow is loaded.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /cannot be used: (no such overload|found no matching overload|ternary condition must be bool|logical operand|cannot index type|expression of type '\S+' cannot be range of a comprehension)/,
      ) && isRefusedUnreached(difference),
  },
  {
    id: "D7",
    upstream: "A router with the result `true` has the label `True`, with `2.0` the label `2.0`.",
    ours: 'The labels are `true` (or `True`, if only that has a listener) and `2`; `compat: "crewai"` in code gives `True`.',
    verdict: "decision",
    page: PAGE,
    matches: (difference) => {
      const router = rootOfRouter(difference);
      return (
        difference.aspect === "value" &&
        router !== undefined &&
        router.tree.is(router.root, "bool", "double")
      );
    },
  },
  {
    id: "D8",
    upstream:
      "A router with a list as its result has the list's text as its label, which has no listener: the flow ends.",
    ours: "The flow fails and names the router without a label.",
    verdict: "ours is better",
    page: PAGE,
    matches: (difference) => {
      const router = rootOfRouter(difference);
      return (
        onlyWeFail(difference, /^router \w+ must return a label/) &&
        router !== undefined &&
        router.tree.is(router.root, "list")
      );
    },
  },
  {
    id: "D9",
    upstream:
      "Unknown fields, conditions without members or of both kinds, flows without a start, and waiting for an unknown name are accepted; such methods never run.",
    ours: "The flow is refused when it is loaded.",
    verdict: "ours is better",
    page: PAGE,
    matches: (difference) =>
      difference.program.kind === "form" &&
      isRefusedForm(difference.program.flow, failureOf(difference, "ours")) &&
      difference.theirs.status === "completed",
  },
  {
    id: "D10",
    upstream: "An input outside the JSON schema of the state fails the kickoff.",
    ours: "It stays in the state, unless the schema has `additionalProperties: false`: payloads of webhooks have more fields than a flow reads.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      Object.hasOwn(difference.program.inputs, "stranger") &&
      onlyTheyFail(difference, /\bstranger\b.*Extra inputs/s),
  },
  {
    id: "D11",
    upstream: "A missing required input fails the kickoff.",
    ours: "The flow runs: a method may set the field.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      difference.program.kind === "inputs" &&
      onlyTheyFail(difference, /Field required/) &&
      missingOf(difference.program).length > 0,
  },
  {
    id: "D13",
    upstream:
      "The result of an operator may lose its type: its methods are not found, and it may be negated, and compared with other types.",
    ours: "It keeps its type.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      (onlyTheyFail(
        difference,
        /'(datetime\.timedelta|datetime\.datetime|str|float|int|list|dict)' object has no attribute/,
      ) &&
        has(difference, isMethodOfMade)) ||
      (onlyWeFail(difference, /cannot be used: no such overload: \S+ [!=]= \S+/) &&
        fails(difference, isEqualityOfMade)) ||
      (onlyWeFail(difference, /cannot be used: no such overload: -google\.protobuf\.Duration/) &&
        fails(difference, isNegatedSpan)) ||
      (onlyTheyFail(difference, /Object of type (timedelta|bytes) is not JSON/) &&
        has(difference, (tree, part) => tree.is(part, "span"))) ||
      (onlyTheyFail(difference, LOST_ERROR) &&
        has(
          difference,
          (tree, part) => isMethodOfMade(tree, part) && around(part).some(({ op }) => op === "?:"),
        )),
  },
  {
    id: "D14",
    upstream:
      "Texts can be indexed, and lists from their end, as in Python: `state.text[0]`, `state.items[-1]`.",
    ours: "An index is a place in a list, from 0, as in CEL; `state.items[size(state.items) - 1]` is the last item.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /cannot index type 'string'|index -\d+ < 0/) &&
      fails(difference, isIndexOfPython),
  },
  {
    id: "D15",
    upstream: "Functions and operators take null: `size(null)` and `int(null)` are 0.",
    ours: "They fail, as in CEL: `state.x == null ? 0 : int(state.x)`.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /(no such overload|found no matching overload).*\bnull\b/) &&
      fails(difference, hasNull),
  },
  {
    id: "D16",
    upstream:
      "A failure inside a list or a map is lost when the list or map is compared, counted or made a text.",
    ours: "The expression fails and names the mistake.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /(no such key: \w+$|is out of bounds|found no matching overload|no such overload|a list or a map is needed|(division|modulo) by zero|ternary condition must be bool)/,
      ) && fails(difference, isForgotten),
  },
  {
    id: "D17",
    upstream:
      "`&&` and `||` take and give values of any type, and macros such as `map` go through the characters of a text.",
    ours: "`&&` and `||` are for truth values and macros for lists and maps, as in CEL; other types are refused.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /logical operator requires bool|cannot be range of a comprehension|a list or a map is needed/,
      ) && fails(difference, isLogicOfOthers),
  },
  {
    id: "D18",
    upstream: "`x && false` fails when evaluating `x` is a Python error.",
    ours: "It is false despite a failure on its other side, as in CEL; so is `x || true` true.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(difference, /object is not iterable/) && has(difference, isDecided),
  },
];
