// Differences from CrewAI's declared flows that were looked into.
import type { AcceptedDifference } from "../support/accepted.ts";
import type { Difference } from "./program.ts";
import { isSameButFlags, isSameButTexts } from "./texts.ts";

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

function methodsOf({ program }: Difference): string {
  return JSON.stringify(program.flow["methods"]);
}

export const ACCEPTED: readonly AcceptedDifference<Difference>[] = [
  {
    id: "D1",
    upstream:
      "`string()` and texts around `${…}` show values as Python does: `True`, `None`, `2.0`, `[1, 2]`, `ListType([IntType(1)])`.",
    ours: "They are shown as CEL and JSON do: `true`, `null`, `2`, `[1,2]`.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(difference, /invalid literal for int\(\).*\d\.0'/) ||
      (difference.aspect === "value" &&
        difference.ours.status === "completed" &&
        difference.theirs.status === "completed" &&
        /string\(|\$\{/.test(methodsOf(difference)) &&
        isSameButTexts(difference.ours.value, difference.theirs.value)),
  },
  {
    id: "D2",
    upstream: "An int and a double cannot be compared or added, and `7 / 2.0` is 3.",
    ours: "Both kinds of number are mixed: `7 / 2.0` is 3.5. JSON does not tell 2 from 2.0.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(
        difference,
        /overload.*(IntType.*(DoubleType|'float')|(DoubleType|'float').*IntType)/s,
      ),
  },
  {
    id: "D3",
    upstream: "`==` and `!=` of two types fail.",
    ours: "They are different, as CEL says.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(difference, /overload.*relation_(eq|ne|in)|no such overload: .* [!=]= /s) ||
      (onlyTheyFail(difference, /_\?_:_ applied to '\(<class 'celpy\.evaluation\.CELEvalError'>/) &&
        /[!=]=| in /.test(methodsOf(difference))),
  },
  {
    id: "D4",
    upstream: "Division by 0.0 gives `Infinity`, which is no JSON.",
    ours: "The expression fails and says so.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /gave the number (-?Infinity|NaN)/) &&
      JSON.stringify(difference.theirs).includes("Infinity"),
  },
  {
    id: "D5",
    upstream: "A truth value counts as the number 1 or 0 in sums and comparisons.",
    ours: "It is no number: the expression fails, as CEL says. `int(flag)` makes one of it.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /no such overload: .*\bbool\b/) ||
      (difference.aspect === "value" &&
        difference.ours.status === "completed" &&
        difference.theirs.status === "completed" &&
        isSameButFlags(difference.ours.value, difference.theirs.value)),
  },
  {
    id: "D6",
    upstream: "A part of an expression that is never reached may mix types.",
    ours: "Operators and functions without a meaning for the types in the text are refused when the flow is loaded.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /cannot be used: (no such overload|found no matching overload|ternary condition must be bool|logical operand|cannot index type)/,
      ) &&
      (difference.program.kind === "each" ||
        /\?|&&|\|\||\.(map|filter|all|exists|exists_one)\(/.test(methodsOf(difference))),
  },
  {
    id: "D7",
    upstream:
      "A router that gives `true` has the label `True`, one that gives `2.0` the label `2.0`.",
    ours: 'The labels are `true` (or `True`, if only that has a listener) and `2`; `compat: "crewai"` in code gives `True`.',
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      difference.aspect === "value" &&
      difference.program.kind === "router" &&
      /"expr":"(state\.flag|2\.0)"/.test(methodsOf(difference)),
  },
  {
    id: "D8",
    upstream:
      "A router that gives a list has its text as its label, to which nothing listens: the flow ends.",
    ours: "The flow fails and says which router gave no label.",
    verdict: "ours is better",
    page: PAGE,
    matches: (difference) => onlyWeFail(difference, /^router \w+ must return a label/),
  },
  {
    id: "D9",
    upstream:
      "Unknown fields, conditions without members or of both kinds, flows without a start, and waiting for a name that nothing has are accepted; such methods never run.",
    ours: "The flow is refused when it is loaded.",
    verdict: "ours is better",
    page: PAGE,
    matches: (difference) =>
      difference.program.kind === "form" &&
      onlyWeFail(
        difference,
        /^the flow cannot be used: .*(is not a known field|expected at least 1 items|has no start|which is no method)/,
      ),
  },
  {
    id: "D10",
    upstream: "An input that the JSON schema of the state does not name fails the kickoff.",
    ours: "It is kept in the state, unless the schema says `additionalProperties: false`: payloads of webhooks have more fields than a flow reads.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      Object.hasOwn(difference.program.inputs, "stranger") &&
      onlyTheyFail(difference, /Extra inputs/),
  },
  {
    id: "D11",
    upstream: "A required input that is missing fails the kickoff.",
    ours: "The flow runs: a method may set the field.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      difference.program.kind === "inputs" && onlyTheyFail(difference, /Field required/),
  },
  {
    id: "D12",
    upstream:
      'Inputs are converted to the type of their field: `1` is true, `true` is 1, `"2.5"` is 2.5.',
    ours: "Inputs are checked, not converted.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) =>
      difference.program.kind === "inputs" &&
      onlyWeFail(
        difference,
        /^the inputs do not fit the flow's state: .*expected (integer|number|boolean)/,
      ),
  },
  {
    id: "D13",
    upstream: "A value that an operator made may lose its type: methods of it are not found.",
    ours: "It keeps its type.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(
        difference,
        /'(datetime\.timedelta|datetime\.datetime|str|float|int|list|dict)' object has no attribute|Object of type (timedelta|bytes) is not JSON/,
      ) ||
      (onlyTheyFail(difference, /_\?_:_ applied to '\(<class 'celpy\.evaluation\.CELEvalError'>/) &&
        /\)\.(contains|startsWith|endsWith|matches|get\w+)\(/.test(methodsOf(difference))),
  },
  {
    id: "D14",
    upstream:
      "Texts can be indexed, and lists from their end, as in Python: `state.text[0]`, `state.items[-1]`.",
    ours: "An index is a place in a list, from 0, as CEL says; `state.items[size(state.items) - 1]` is the last item.",
    verdict: "decision",
    page: PAGE,
    matches: (difference) => onlyWeFail(difference, /cannot index type 'string'|index -\d+ < 0/),
  },
  {
    id: "D15",
    upstream: "Functions and operators take null: `size(null)` and `int(null)` are 0.",
    ours: "They fail, as CEL says: `state.x == null ? 0 : int(state.x)`.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(difference, /(no such overload|found no matching overload).*\bnull\b/),
  },
  {
    id: "D16",
    upstream:
      "What fails inside of a list or a map is forgotten when that is compared, counted or made a text.",
    ours: "The expression fails and names what is wrong.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /(no such key: \w+$|found no matching overload|no such overload|(division|modulo) by zero|ternary condition must be bool)/,
      ) &&
      /[!=]= |size\(|string\(/.test(methodsOf(difference)) &&
      /\{[^}]*:|\[/.test(methodsOf(difference)),
  },
  {
    id: "D17",
    upstream:
      "`&&` and `||` take and give values of any type, and macros such as `map` go through the characters of a text.",
    ours: "`&&` and `||` are for truth values and macros for lists and maps, as CEL says; other types are refused.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyWeFail(
        difference,
        /logical operator requires bool|cannot be range of a comprehension|a list or a map is needed/,
      ),
  },
  {
    id: "D18",
    upstream: "`x && false` fails when going through `x` is a fault of Python's.",
    ours: "It is false whatever fails on its other side, as CEL says; so is `x || true` true.",
    verdict: "upstream's defect",
    page: PAGE,
    matches: (difference) =>
      onlyTheyFail(difference, /object is not iterable/) && /&&|\|\|/.test(methodsOf(difference)),
  },
];
