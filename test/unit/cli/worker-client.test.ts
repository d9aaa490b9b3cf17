import { expect, it } from "vitest";
import { workerClient } from "../../../src/cli/worker-client.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

it("fails for good after 45 seconds without any answer, so that a script ends", async () => {
  const clock = new SimulatedClock();
  const startedAtMs = clock.now();
  const client = workerClient({
    url: "http://crews.test",
    key: undefined,
    clock,
    fetch: () => Promise.reject(new TypeError("fetch failed")),
  });
  let endedAtMs = 0;
  const end = client.runs
    .handle("run-1")
    .events()
    .next()
    .catch((error: unknown) => error)
    .finally(() => (endedAtMs = clock.now()));
  await clock.advance(120_000);
  expect(await end).toMatchObject({ code: "unavailable", retryable: false });
  expect(endedAtMs - startedAtMs).toBeGreaterThanOrEqual(45_000);
  expect(endedAtMs - startedAtMs).toBeLessThan(65_000);
});
