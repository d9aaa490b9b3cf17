import type { CaseWriter } from "../case-writer.ts";
import type { ConversationCase } from "../conversation-case.ts";

const NAMES = [
  "flag",
  "count",
  "name",
  "list",
  "nothing",
  "rate",
  "negative",
  "text",
  "dict",
] as const;
const LITERALS = [
  "0",
  "1",
  "2",
  "3",
  "'tides'",
  '"x"',
  "''",
  "True",
  "False",
  "None",
  "-1",
  "1.5",
  "'5'",
  "5",
] as const;
const OPERATORS = ["==", "!=", ">", "<", ">=", "<="] as const;
const DEEPEST = 2;

/** Conditions on context variables. */
export function expressions(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  return {
    id,
    profile: "expressions",
    agents: [],
    register: [],
    script: {},
    variables: {
      flag: random.chance(0.5),
      count: random.below(4),
      name: random.pick(["tides", "", "x", "it's"]),
      list: writer.some([1, 2, 3]),
      dict: random.chance(0.5) ? { a: 1 } : {},
      nothing: null,
      rate: 1.5,
      negative: -2,
      text: "5",
    },
    expressions: writer.list(25, () => term(writer, 0)),
  };
}

function variable({ random }: CaseWriter): string {
  return `\${${random.chance(0.02) ? "missing" : random.pick(NAMES)}}`;
}

function value(writer: CaseWriter): string {
  const { random } = writer;
  if (random.chance(0.45)) return variable(writer);
  return random.pick([
    ...LITERALS,
    `len(${variable(writer)})`,
    `len(\${${random.pick(["name", "list", "dict"])}})`,
  ]);
}

function term(writer: CaseWriter, depth: number): string {
  const { random } = writer;
  const roll = random.next();
  if (depth > DEEPEST || roll < 0.25) return variable(writer);
  if (roll < 0.6) return `${value(writer)} ${random.pick(OPERATORS)} ${value(writer)}`;
  if (roll < 0.72)
    return `${random.pick(["not ", "!"])}${
      random.chance(0.5) ? variable(writer) : `(${term(writer, depth + 1)})`
    }`;
  if (roll < 0.78) return `(${term(writer, depth + 1)})`;
  return `${term(writer, depth + 1)} ${random.pick(["and", "or", "&", "|"])} ${term(writer, depth + 1)}`;
}
