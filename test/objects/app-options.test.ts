import { expect, it } from "vitest";
import { defineApp } from "../../src/worker.ts";

it("refuses an unknown option of an app with its nearest name", () => {
  expect(() => defineApp({ crew: {} } as never)).toThrow(
    /^defineApp\(\) has no option "crew"; it has: crews, agents, .*\. Is it crews\?$/,
  );
});
