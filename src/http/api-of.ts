import type * as z from "zod";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { graphShape } from "../graph/graph-shape.ts";
import type { Operation } from "../parts/operation.ts";
import type { BoundPart, ProblemForm } from "../parts/part.ts";
import { subjectsOf } from "../parts/subjects.ts";
import type { Api } from "./api.ts";
import { kindShapes } from "./kind-shapes.ts";
import { aboutOperation, aboutShapes } from "./operations/about.ts";
import { keyOperations, keyShapes } from "./operations/keys.ts";
import { runChangeOperations } from "./operations/run-changes.ts";
import { runGraphOperations } from "./operations/run-graph.ts";
import { runReadOperations, runShapes } from "./operations/runs.ts";
import { serviceOperations, serviceShapes } from "./operations/service.ts";
import type { AppServices } from "./services.ts";

const PROBLEM: ProblemForm = { shape: "Problem", shapeType: "application/problem+json" };

const ANY_JSON: ProblemForm = { types: ["application/json"] };

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
    hasGates: parts.some(({ admit }) => admit !== undefined),
    problemForm: (path) => {
      const own = parts.find(({ problems }) => problems?.matches(path))?.problems;
      return own === undefined ? PROBLEM : (own.form?.(path) ?? ANY_JSON);
    },
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
  checkIds(api.operations);
  return api;
}

/**
 * Checks the ids, which become the methods of generated clients. Fails with `invalid_definition` for a duplicate id.
 */
function checkIds(operations: readonly Operation[]): void {
  const byId = new Map<string, string>();
  for (const { id, method, path } of operations) {
    const route = `${method} ${path}`;
    const other = byId.get(id);
    if (other !== undefined)
      throw invalidDefinition(
        `two operations have the id "${id}": ${other} and ${route}; give one of them another id`,
      );
    byId.set(id, route);
  }
}
