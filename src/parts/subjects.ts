import { EngineError } from "../base/error.ts";
import type { DefinitionStore } from "./definition-store.ts";
import type { Part, Subject, Subjects } from "./part.ts";

/** The subjects of all parts, by kind. */
export function subjectsOf(parts: readonly Part[]): ReadonlyMap<string, Subjects> {
  return new Map(parts.flatMap((part) => Object.entries(part.subjects ?? {})));
}

/**
 * The subject of the deployed code, else the tenant's stored one. Throws `not_found` when there is neither,
 * `invalid_definition` when a stored one no longer fits.
 */
export async function findSubject(
  from: {
    readonly subjects: ReadonlyMap<string, Subjects>;
    readonly definitions: Pick<DefinitionStore, "get">;
  },
  tenant: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): Promise<Subject> {
  const subjects = from.subjects.get(kind);
  const registered = subjects?.get(name);
  if (registered !== undefined) return registered;
  const stored = subjects?.read && (await from.definitions.get(tenant, kind, name));
  if (subjects?.read === undefined || stored === undefined)
    throw new EngineError("not_found", `there is no ${kind} "${name}"`);
  return subjects.read(name, stored.definition);
}
