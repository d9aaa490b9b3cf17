import { invalidDefinition } from "../base/invalid-definition.ts";
import type { Operation } from "../parts/operation.ts";
import type { BoundPart, ProblemForm, Api } from "../parts/part.ts";
import { subjectsOf } from "../parts/subjects.ts";
import { aboutOperation } from "./operations/about.ts";
import { keyOperations } from "./operations/keys.ts";
import { runChangeOperations } from "./operations/run-changes.ts";
import { runMessageOperations } from "./operations/run-messages.ts";
import { runGraphOperations } from "./operations/run-graph.ts";
import { runReadOperations } from "./operations/runs.ts";
import { serviceOperations } from "./operations/service.ts";
import type { AppServices } from "./services.ts";
import { problemShape } from "../parts/problem-shape.ts";

const PROBLEM: ProblemForm = { shape: problemShape, shapeType: "application/problem+json" };

const ANY_JSON: ProblemForm = { types: ["application/json"] };

export function apiOf(services: AppServices, parts: readonly BoundPart[]): Api {
  const ofParts = parts.flatMap(({ operations = [] }) => operations);
  const core = [
    ...runReadOperations(services),
    ...runGraphOperations(services),
    ...runChangeOperations(services),
    ...runMessageOperations(services, ofParts),
    ...keyOperations(services),
    aboutOperation(services, parts),
    ...serviceOperations(services),
  ];
  const api: Api = {
    operations: [
      ...ofParts,
      ...core,
      ...parts.flatMap(({ describes }) => describes?.(() => api) ?? []),
    ],
    core,
    parts: services.parts,
    subjects: subjectsOf(services.parts),
    hasGates: parts.some(({ admit }) => admit !== undefined),
    problemForm: (path) => {
      const own = parts.find(({ problems }) => problems?.matches(path))?.problems;
      return own === undefined ? PROBLEM : (own.form?.(path) ?? ANY_JSON);
    },
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
