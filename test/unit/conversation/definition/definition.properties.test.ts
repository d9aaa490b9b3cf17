// Definitions that nobody wrote down: good ones with something broken, and values of any kind.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { readConversationDefinition } from "../../../../src/conversation/definition/definition.ts";
import {
  guardrailsFrom,
  handoffsFrom,
} from "../../../../src/conversation/definition/definition-handoffs.ts";
import {
  afterWork,
  checkHandoffs,
  contextHandoff,
  offeredHandoffs,
} from "../../../../src/conversation/targets/handoffs.ts";
import { computedMs } from "../../../support/computed-ms.ts";

function orError<T>(make: () => T): T | EngineError {
  try {
    return make();
  } catch (error) {
    if (EngineError.is(error)) return error;
    throw error;
  }
}

const NAMES = ["triage", "expert", "reviewer", "ana"] as const;
const agentName = fc.constantFrom(...NAMES);
const word = fc.constantFrom("stay", "terminate", "revert_to_user", "ask_user", "manager");
const target = fc.oneof(
  agentName,
  word,
  fc.record({ random: fc.array(agentName, { minLength: 1 }) }),
  fc.record({ manager: fc.constant("Who of {agentlist}?") }),
  fc.record({ nested: fc.array(fc.record({ recipient: agentName }), { minLength: 1 }) }),
  fc.record({ conversation: fc.constant("other"), max_rounds: fc.integer({ min: 1, max: 9 }) }),
);
const condition = fc.constantFrom(
  "done",
  "${severity} == 'high'",
  "${severity} == 'high' and not ${done}",
  "len(${severity}) > 2",
);
const handoff = fc.oneof(
  fc.record({ to: target, when: condition }),
  fc.record({ to: target, prompt: fc.constant("It needs {severity}."), available: condition }),
  fc.record({ to: target }),
);
const agent = fc.record(
  {
    system_message: fc.constantFrom("You sort incidents.", "You find the cause."),
    llm: fc.constantFrom("openai/gpt-5-mini", { model: "openai/gpt-5-mini", temperature: 0 }),
    tools: fc.array(fc.constantFrom("current_time", "wait"), { maxLength: 2 }),
    handoffs: fc.array(handoff, { maxLength: 4 }),
    after_work: fc.oneof(
      target,
      fc.array(fc.record({ to: target, when: condition }), { minLength: 1 }),
    ),
    human: fc.boolean(),
    input_guardrails: fc.array(
      fc.record({
        name: fc.constant("no keys"),
        regex: fc.constantFrom("sk-\\w+", "(a+)+$"),
        to: target,
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: [] },
);
/** As files say them. */
const definition = fc.record(
  {
    name: fc.constant("incident"),
    agents: fc
      .tuple(agent, agent, agent, agent)
      .map((agents) => Object.fromEntries(agents.map((each, index) => [NAMES[index], each]))),
    pattern: fc.oneof(
      fc.constantFrom("default", "auto", "round_robin", "random", "manual"),
      fc.record({
        kind: fc.constantFrom("default", "auto"),
        initial_agent: agentName,
        group_after_work: target,
      }),
    ),
    context_variables: fc.record({ severity: fc.constantFrom("high", "low"), done: fc.boolean() }),
    max_rounds: fc.integer({ min: 1, max: 100 }),
  },
  { requiredKeys: ["agents", "context_variables"] },
);
const hostile = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withSet: true,
});

/** The definition with one of its values replaced, wherever it is. */
const broken = fc
  .tuple(
    definition,
    fc.array(fc.nat(), { maxLength: 6 }),
    fc.oneof(hostile, fc.constantFrom("", "nobody", "${", -1, null, "__proto__", "stay")),
  )
  .map(([whole, path, value]) => {
    const copy = structuredClone(whole) as Record<string, unknown>;
    let here = copy;
    for (const [depth, place] of path.entries()) {
      const keys = Object.keys(here);
      const key = keys[place % keys.length];
      if (key === undefined) break;
      const next = here[key];
      if (depth === path.length - 1 || typeof next !== "object" || next === null) {
        here[key] = value;
        break;
      }
      here = next as Record<string, unknown>;
    }
    return copy;
  });

/** Has the rules work on what was read. */
function use(input: unknown): EngineError | undefined {
  const read = orError(() => readConversationDefinition(input));
  if (EngineError.is(read)) return read;
  const members = Object.keys(read.agents);
  for (const [name, each] of Object.entries(read.agents)) {
    const handoffs = handoffsFrom(each, read);
    checkHandoffs(name, handoffs, members);
    for (const missing of ["error", "false"] as const) {
      orError(() => contextHandoff(handoffs, read.contextVariables, missing));
      orError(() => afterWork(handoffs, read.contextVariables, missing));
      const offered = orError(() => offeredHandoffs(handoffs, read.contextVariables, missing));
      const names = EngineError.is(offered) ? [] : offered.map(({ toolName }) => toolName);
      expect(new Set(names).size).toBe(names.length);
    }
    guardrailsFrom(each.inputGuardrails);
  }
  return undefined;
}

describe("a definition", () => {
  it("CDF1: as files say it is read, and its rules can be used", () => {
    const faults = new Set<string>();
    fc.assert(
      fc.property(definition, (whole) => {
        const error = use(whole);
        for (const { message } of error?.issues ?? []) faults.add(message);
        expect(error?.code ?? "invalid_definition").toBe("invalid_definition");
      }),
      { numRuns: 500 },
    );
    // what the generator gets wrong on purpose: people with settings of others, hand-overs of those who are asked
    expect([...faults].filter((fault) => /internal|undefined|\[object/.test(fault))).toEqual([]);
  });

  it("CDF1, CDF2: with anything broken is read or refused, and each issue points into it", () => {
    fc.assert(
      fc.property(fc.oneof(broken, hostile), (input) => {
        const error = use(input);
        for (const { path, message } of error?.issues ?? []) {
          expect(path === "" || path.startsWith("/")).toBe(true);
          expect(message).not.toBe("");
        }
        expect(error?.issues).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("CDF1: refuses unknown names with some of the existing ones", () => {
    const agents = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, {}]));
    const refused = orError(() =>
      readConversationDefinition({ agents: { ...agents, a0: { after_work: "nobody" } } }),
    );
    expect(EngineError.is(refused) && refused.message).toMatch(/a19, … 50 in all\), got "nobody"/);
  });

  it("takes time in proportion to its size, right or wrong", () => {
    const count = 20_000;
    const list = Array.from({ length: count }, (_, index) => ({
      name: `agent${index}`,
      after_work: `agent${count - 1 - index}`,
      handoffs: [{ to: `agent${index}`, when: "x" }],
    }));
    const mapping = Object.fromEntries(list.map(({ name, ...rest }) => [name, rest]));
    const strangers = list.map((each) => ({ ...each, after_work: "nobody" }));
    const nameless = list.map(() => ({}));
    for (const agents of [
      list,
      mapping,
      strangers,
      nameless,
      list.map((each) => ({ ...each, name: "same" })),
    ]) {
      const started = computedMs();
      orError(() => readConversationDefinition({ agents }));
      expect(computedMs() - started).toBeLessThan(3_000);
    }
  }, 60_000);
});
