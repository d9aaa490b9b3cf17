// Random flows, for what must hold of all of them.
import * as fc from "fast-check";
import type { Condition } from "../../src/flow/condition.ts";
import type { FlowDefinition, MethodDefinition } from "../../src/flow/flow-definition.ts";

function conditionOver(names: readonly string[]): fc.Arbitrary<Condition> {
  return fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...names),
      fc.record({ and: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
      fc.record({
        or: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }),
        race: fc.constant(true),
      }),
    ),
  })).condition;
}

/** Any definition: cycles, joins, labels, strangers, what nobody wakes. Names may be anything. */
export function flowDefinitions({
  maxMethods = 14,
  name = fc.constant("f"),
}: { maxMethods?: number; name?: fc.Arbitrary<string> } = {}): fc.Arbitrary<FlowDefinition> {
  const names = fc
    .tuple(fc.integer({ min: 1, max: maxMethods }), fc.array(name, { maxLength: 3 }))
    .map(([count, more]) => [
      ...new Set([...Array.from({ length: count }, (_, index) => `m${index}`), ...more]),
    ]);
  return names.chain((methods) => {
    const labels = ["yes", "no", "again", ...methods.slice(0, 1)];
    const condition = conditionOver([...methods, ...labels]);
    const method: fc.Arbitrary<MethodDefinition> = fc.oneof(
      fc.record<MethodDefinition>({ start: fc.constant(true as const) }),
      fc.record<MethodDefinition>({ start: condition }),
      fc.record<MethodDefinition>({ listen: condition }),
      fc.record<MethodDefinition>({ listen: condition, description: name }),
      fc.record<MethodDefinition>({ listen: condition, router: fc.constant(true) }),
      fc.record<MethodDefinition>({
        listen: condition,
        router: fc.constant(true),
        emit: fc.uniqueArray(fc.oneof(fc.constantFrom(...labels), name), { maxLength: 3 }),
      }),
      fc.record<MethodDefinition>({
        listen: condition,
        humanFeedback: fc.record({ message: name, emit: fc.constant(["yes", "no"]) }),
      }),
    );
    return fc.tuple(...methods.map(() => method)).map((definitions) => ({
      name: "random",
      methods: Object.fromEntries(methods.map((each, index) => [each, definitions[index] ?? {}])),
    }));
  });
}
