// Entries of `agents.yaml` and `tasks.yaml`, read as CrewAI reads them.
//
//   CLE1. A field that CrewAI ignores is ignored here, with a warning; so is an entry that is no mapping.
//   CLE2. Entries beginning with `x-` hold anchors, and are neither agents nor tasks.
//   CLE3. `yes`, `no`, `on` and `off` are booleans where a boolean belongs, as in YAML 1.1.
import type * as z from "zod";
import type { Issue } from "../base/error.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { agentDefinition, taskDefinition } from "../crew/definition/definition-schema.ts";
import { IGNORED } from "../crew/definition/ignored-fields.ts";
import type { Entry } from "./additions.ts";
import { faultAt } from "./source-text.ts";

const SHAPES: Readonly<Record<ClassicKind, Readonly<Record<string, z.ZodType>>>> = {
  agents: agentDefinition.shape,
  tasks: taskDefinition.shape,
};

/** Fields that are read before the schema is. */
const READ = new Set(["config", "settings", "promptFile", "type", "crew", "converterCls"]);

const SWITCHES: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

export type ClassicKind = "agents" | "tasks";

export type ClassicEntries = {
  readonly entries: Map<string, Entry>;
  readonly warnings: readonly Issue[];
};

export function classicEntries(kind: ClassicKind, all: ReadonlyMap<string, Entry>): ClassicEntries {
  const warnings: Issue[] = [];
  const entries = new Map<string, Entry>();
  for (const [name, entry] of all) {
    if (name.startsWith("x-")) continue;
    const { value, source } = entry;
    if (!isJsonObject(value)) {
      warnings.push(faultAt(source, [], `is no mapping of fields, so no ${kind} has it: ignored`));
      continue;
    }
    const fields: Record<string, JsonValue> = {};
    // Fields without a counterpart are left out as in CrewAI, and named.
    for (const [field, each] of Object.entries(value)) {
      const schema = SHAPES[kind][field];
      if (schema !== undefined) fields[field] = switched(each, schema);
      else if (isClassicField(kind, field)) fields[field] = each;
      else warnings.push(faultAt(source, [field], `is a field that CrewAI ignores: ignored`));
    }
    entries.set(name, { ...entry, value: fields });
  }
  return { entries, warnings };
}

/** True if CrewAI or Edgecrew reads a field, in camelCase. */
export function isClassicField(kind: ClassicKind, field: string): boolean {
  return (
    Object.hasOwn(SHAPES[kind], field) || READ.has(field) || Object.hasOwn(IGNORED[kind], field)
  );
}

/** `yes` as true, where a boolean belongs and a text does not. */
function switched(value: JsonValue, schema: z.ZodType): JsonValue {
  const meant = typeof value === "string" ? SWITCHES[value.toLowerCase()] : undefined;
  if (meant === undefined || schema.safeParse(value).success) return value;
  return schema.safeParse(meant).success ? meant : value;
}
