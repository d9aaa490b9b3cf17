// Exposed subjects as models: `crew/briefing`, or the app's name for one.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { Exposure } from "../exposure.ts";
import { wrong } from "./errors.ts";

/** A model in a list. */
export type Model = {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
  readonly description: string;
};

/** Returns the listed id of a subject. */
export function modelIdOf({ kind, name, options }: ExposedSubject): string {
  return options.as ?? `${kind}/${name}`;
}

/** Returns the model. All models have the same time, because definitions have none. */
export function modelOf(exposed: ExposedSubject): Model {
  const { description } = exposed.info;
  return { id: modelIdOf(exposed), object: "model", created: 0, owned_by: "edgecrew", description };
}

/** Finds a subject by its model id, its public name, or its qualified name. Fails with `not_found`. */
export async function findModel(
  exposure: Exposure,
  tenant: string,
  id: string,
): Promise<ExposedSubject> {
  const slash = id.indexOf("/");
  try {
    return await (slash < 0
      ? exposure.find(tenant, id)
      : exposure.findOwn(tenant, { kind: id.slice(0, slash), name: id.slice(slash + 1) }));
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw wrong(
      "/model",
      `there is no model ${preview(id)} for this key: GET /v1/models lists those there are`,
      "not_found",
    );
  }
}
