// One suite of behaviours over all wires, against servers on loopback; docs/providers.md has its table.
import { describe, expect, it } from "vitest";
import { BEHAVIOURS, resultOf } from "../../support/provider-suite.ts";
import { WIRES } from "../../support/provider-wires.ts";

describe.each(WIRES)("$name", (wire) => {
  const said = BEHAVIOURS.filter(({ reply }) => reply(wire.words) !== undefined);

  it("has words of its own for most of them", () => {
    expect(said.length).toBeGreaterThan(BEHAVIOURS.length - 3);
  });

  it.each(said)("$id", async (behaviour) => {
    const { wanted, streamsAlone } = behaviour;
    const isWhole = streamsAlone?.(wire.words) !== true;
    expect(await resultOf(wire, behaviour)).toEqual({
      streamed: wanted,
      ...(isWhole ? { whole: wanted } : undefined),
    });
  });
});
