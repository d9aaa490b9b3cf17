import type * as z from "zod";
import type { Operation } from "../parts/operation.ts";
import type { BoundPart, Subjects } from "../parts/part.ts";
import { subjectsOf } from "../parts/subjects.ts";
import { aboutOperation, aboutShapes } from "./operations/about.ts";
import { keyOperations, keyShapes } from "./operations/keys.ts";
import { runChangeOperations } from "./operations/run-changes.ts";
import { graphShape } from "../graph/graph-shape.ts";
import { runGraphOperations } from "./operations/run-graph.ts";
import { runReadOperations, runShapes } from "./operations/runs.ts";
import { serviceOperations, serviceShapes } from "./operations/service.ts";
import { kindShapes } from "./kind-shapes.ts";
import type { AppServices } from "./services.ts";

/** The API of an app: the core's operations and those of its parts. */
export type Api = {
  readonly operations: readonly Operation[];
  /** The schemas of answers, by name. */
  readonly shapes: () => Readonly<Record<string, z.ZodType>>;
  /** What can be started, by kind. */
  readonly subjects: ReadonlyMap<string, Subjects>;
};

export function apiOf(services: AppServices, parts: readonly BoundPart[]): Api {
  const api: Api = {
    operations: [
      ...parts.flatMap(({ operations = [] }) => operations),
      ...runReadOperations(services),
      ...runGraphOperations(services),
      ...runChangeOperations(services),
      ...keyOperations(services),
      aboutOperation(services, parts),
      ...serviceOperations(services, () => api),
    ],
    subjects: subjectsOf(services.parts),
    shapes: () =>
      Object.assign(
        {},
        runShapes(services.parts),
        { Graph: graphShape() },
        kindShapes(services.parts),
        keyShapes(),
        serviceShapes(),
        aboutShapes(),
        ...parts.map(({ shapes }) => shapes?.()),
      ) as Record<string, z.ZodType>,
  };
  return api;
}
