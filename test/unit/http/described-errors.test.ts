// Errors of runs beside their description: the world refuses answers that do not fit it.
import { expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { HttpWorld } from "../../support/http-app.ts";

it("describes the code of the service at which a run failed", async () => {
  const world = new HttpWorld({
    script: () => {
      throw new EngineError("model_failed", "no", { retryable: false, failureCode: "quota" });
    },
  });
  const { json } = await world.ask(`/runs/${await world.kickoff()}`);
  expect(json["error"]).toMatchObject({ code: "model_failed", failureCode: "quota" });
});
