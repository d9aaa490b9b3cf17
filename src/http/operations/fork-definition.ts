import { EngineError } from "../../base/error.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import type { ForkDefinition } from "../../runtime/fork-request.ts";
import type { Run } from "../../runtime/run.ts";

/**
 * Returns the fork's own definition; undefined to use the definition of the forked run. Fails with `not_found` for a
 * version that is not stored, and for definitions in code, whose forks all run the present code.
 */
export async function forkDefinition(
  definitions: DefinitionStore,
  tenant: string,
  {
    run: { kind, name },
    version,
  }: {
    readonly run: Pick<Run, "kind" | "name">;
    readonly version: "same" | "present" | number | undefined;
  },
): Promise<ForkDefinition | undefined> {
  if (version === undefined || version === "same") return undefined;
  if (version === "present") {
    const present = await definitions.get(tenant, kind, name);
    if (present !== undefined) return { version, value: present.definition };
    throw new EngineError(
      "not_found",
      `${kind} "${name}" is not stored: it has no present definition`,
    );
  }
  const kept = await definitions.version(tenant, kind, { name, version });
  if (kept !== undefined) return { version, value: kept.definition };
  throw new EngineError("not_found", `${kind} "${name}" has no stored version ${version}`);
}
