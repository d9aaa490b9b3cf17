// Shapes inside a definition, so its answers need no code.
//
//   DSH1. A definition's own shape takes precedence over a registered one of its name.
//   DSH2. A shape too costly to check within a budget is an issue at its place.
import type { OutputSchema } from "../../agent/loop/structured-output.ts";
import type { Issue } from "../../base/error.ts";
import { schemaFaults } from "../../base/json-schema-form.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { DefinitionRegistry } from "./definition-registry.ts";
import type { CrewDefinition } from "./definition-schema.ts";

/** Returns the registry with the definition's own shapes. Their faults are added to `issues`. */
export function withOwnShapes(
  registry: DefinitionRegistry,
  { schemas, inputSchema }: CrewDefinition,
  issues: Issue[],
): DefinitionRegistry {
  if (inputSchema !== undefined && typeof inputSchema !== "string")
    for (const { path, message } of schemaFaults(inputSchema))
      issues.push({ path: `/inputSchema${path}`, message });
  if (schemas === undefined) return registry;
  for (const [name, schema] of Object.entries(schemas))
    for (const { path, message } of schemaFaults(schema))
      issues.push({ path: `/schemas/${pointerPart(name)}${path}`, message });
  const own: Readonly<Record<string, OutputSchema>> = schemas;
  return { ...registry, schemas: { ...registry.schemas, ...own } };
}
