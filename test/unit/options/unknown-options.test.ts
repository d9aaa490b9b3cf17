import { describe, expect, it } from "vitest";
import { OPTION_TAKERS } from "./option-takers.ts";
const ALL = Object.entries(OPTION_TAKERS).flatMap(([entry, takers]) =>
  Object.entries(takers).map(([name, take]) => ({ entry, name, take })),
);
describe("unknown options", () => {
  it.each(ALL)("are refused by $name of $entry", async ({ take }) => {
    const refused = await Promise.resolve()
      .then(() => take({ qqqq_option: 1 }))
      .then(
        () => "accepted",
        (error: unknown) => error,
      );
    expect(String((refused as Error).message ?? refused)).toMatch(/qqqq_?[oO]ption/);
  });
  it.each(ALL)("valid: $name of $entry", async ({ take }) => {
    await take({});
  });
});
