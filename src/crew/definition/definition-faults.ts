// Faults of a definition, in its form and in its names.
import type * as z from "zod";
import { type EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { partsOfPointer } from "../../base/json-pointer.ts";
import { isJsonObject } from "../../base/json.ts";
import { unusableDefinition } from "../../base/unusable-definition.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { adviceFor } from "./ignored-fields.ts";

/** Returns the faults of a form, with advice for fields known from CrewAI. */
export function formFaults(error: z.core.$ZodError, form: unknown): readonly Issue[] {
  return toIssues(error, form).map((issue) => {
    const isKnown = issue.message !== "is not a known field";
    const advice = isKnown ? undefined : adviceFor(partsOfPointer(issue.path));
    return advice === undefined ? issue : { ...issue, message: `${issue.message}: ${advice}` };
  });
}

/** Returns a form without its faulty fields, so the others can be checked. Required fields get some value. */
export function withoutFaults(form: unknown, faults: readonly Issue[]): unknown {
  if (!isJsonObject(form)) return form;
  const rest = structuredClone(form) as Record<string, unknown>;
  for (const { path } of faults) remove(rest, partsOfPointer(path));
  const { agents, tasks } = rest;
  for (const agent of entriesOf(agents)) fill(agent, ["role", "goal", "backstory"]);
  for (const task of entriesOf(tasks)) fill(task, ["description", "expectedOutput"]);
  return rest;
}

/** Removes the whole field of an agent, a task or the crew around a path. */
function remove(crew: Record<string, unknown>, [owner = "", key, field]: readonly string[]): void {
  const entries = owner === "agents" || owner === "tasks" ? crew[owner] : undefined;
  if (key === undefined || typeof entries !== "object" || entries === null) {
    delete crew[owner];
    return;
  }
  const named = entries as Record<string, unknown>;
  const entry = Object.hasOwn(named, key) ? named[key] : undefined;
  if (field === undefined || !isJsonObject(entry)) named[key] = {};
  else delete (entry as Record<string, unknown>)[field];
}

function entriesOf(entries: unknown): readonly Record<string, unknown>[] {
  if (typeof entries !== "object" || entries === null) return [];
  return Object.values(entries).filter((entry) => isJsonObject(entry));
}

function fill(entry: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) entry[name] ??= "?";
}

/** Runs a constructor and records its error as an issue of this path. */
export function attempt(issues: Issue[], path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    issues.push({ path, message: errorMessage(error) });
  }
}

export function invalid(issues: readonly Issue[]): EngineError {
  return unusableDefinition("the crew definition", issues);
}
