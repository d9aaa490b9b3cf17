import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { trainingName } from "../crew/lessons.ts";
import type { Training } from "../crew/training.ts";
import { allow } from "./auth.ts";
import { enterCrew } from "./enter-crew.ts";
import { body } from "./request-body.ts";
import { trainBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

export const train = new Hono<HttpEnv>().post(
  "/:name/train",
  allow("run"),
  body(trainBody),
  async (c) => {
    const { iterations, name, ...rest } = c.req.valid("json");
    return enterCrew(c, rest, (crew) => ({
      action: "train",
      iterations,
      name: name ?? trainingName(crew),
    }));
  },
);

export const trainings = new Hono<HttpEnv>()
  .get("/:name", allow("read"), async (c) => {
    const name = c.req.param("name");
    const training = await c.var.services.trained(c.var.caller.tenant).get(name);
    if (training === undefined) throw noTraining(name);
    return c.json<Training>(training);
  })
  .delete("/:name", allow("admin"), async (c) => {
    const name = c.req.param("name");
    if (!(await c.var.services.trained(c.var.caller.tenant).delete(name))) throw noTraining(name);
    return c.body(null, 204);
  });

function noTraining(name: string): EngineError {
  return new EngineError("not_found", `nothing was learned under the name ${preview(name)}`);
}
