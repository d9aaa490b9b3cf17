import { unreachable } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { Random } from "../support/random.ts";
import {
  eachFlow,
  expression,
  expressionFlow,
  formFlow,
  routerFlow,
  templateFlow,
  toolFlow,
} from "./forms.ts";
import type { Kind, Program } from "./program.ts";
import { randomInputs } from "./schemas.ts";

/** How often each kind occurs. */
const KINDS: readonly Kind[] = [
  ...Array<Kind>(9).fill("expression"),
  ...Array<Kind>(2).fill("template"),
  ...Array<Kind>(4).fill("inputs"),
  ...Array<Kind>(2).fill("router"),
  ...Array<Kind>(2).fill("each"),
  "tool",
  "form",
];

/** Random declared flows; equal seeds give equal programs. */
export function programsOf(seed: number, count: number): readonly Program[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => {
    const own = random.fork(index);
    const kind = own.pick(KINDS);
    return { id: `${seed}-${index}`, kind, ...programOf(own, kind) };
  });
}

function programOf(random: Random, kind: Kind): Pick<Program, "flow" | "inputs"> {
  switch (kind) {
    case "expression":
      return { flow: expressionFlow(random), inputs: {} };
    case "template":
      return { flow: templateFlow(random), inputs: {} };
    case "router":
      return { flow: routerFlow(random), inputs: {} };
    case "each":
      return { flow: eachFlow(random), inputs: {} };
    case "tool":
      return { flow: toolFlow(random), inputs: {} };
    case "form":
      return { flow: formFlow(random), inputs: {} };
    case "inputs":
      return inputsProgram(random);
    default:
      return unreachable(kind);
  }
}

function inputsProgram(random: Random): Pick<Program, "flow" | "inputs"> {
  const { schema, inputs } = randomInputs(random);
  const flow: JsonObject = {
    schema: "crewai.flow/v1",
    name: "Inputs",
    state: { type: "json_schema", json_schema: schema },
    methods: { first: { start: true, do: expression("state") } },
  };
  return { flow, inputs };
}
