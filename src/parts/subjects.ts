import type { DefinitionStore } from "./definition-store.ts";
import type { Part, Subject, Subjects } from "./part.ts";
import { notStored, refuseVersion, storedVersion } from "./stored-definitions.ts";

/** The subjects of all parts, by kind. */
export function subjectsOf(parts: readonly Part[]): ReadonlyMap<string, Subjects> {
  return new Map(
    parts.flatMap((part) =>
      Object.entries(part.kinds ?? {}).flatMap(([kind, { subjects }]) =>
        subjects === undefined ? [] : [[kind, subjects] as const],
      ),
    ),
  );
}

/**
 * The subject of the deployed code, or else the tenant's stored one. Throws `not_found` if there is neither, and
 * `invalid_definition` if the stored one is no longer valid; `invalid_input` for a version of one of the code.
 */
export async function findSubject(
  from: {
    readonly subjects: ReadonlyMap<string, Subjects>;
    readonly definitions: Pick<DefinitionStore, "get"> & Partial<Pick<DefinitionStore, "version">>;
  },
  tenant: string,
  {
    kind,
    name,
    version,
  }: { readonly kind: string; readonly name: string; readonly version?: number | undefined },
): Promise<Subject> {
  const subjects = from.subjects.get(kind);
  const registered = subjects?.get(name);
  if (registered !== undefined) {
    refuseVersion(kind, name, version);
    return registered;
  }
  const at = { tenant, kind, name };
  const stored = subjects?.read && (await storedVersion(from.definitions, at, version));
  if (subjects?.read === undefined || stored === undefined) throw notStored(kind, name);
  return subjects.read(name, stored.definition);
}
