// Versions of a definition side by side: open runs keep the code they were started with.
//
//   DV1. A new run takes the current version, and keeps it.
//   DV2. A run without a version, started before there were versions, takes the first one listed.
//   DV3. A run whose version is no longer listed has no definition, and is held.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunStart } from "../runtime/run.ts";

/** Several versions of one definition; made by `versions()`. */
export class Versions<Definition> {
  readonly current: string;
  readonly all: ReadonlyMap<string, Definition>;

  constructor(current: string, all: ReadonlyMap<string, Definition>) {
    this.current = current;
    this.all = all;
  }
}

/**
 * Several versions of a crew, flow or agent under one name. New runs take `current`, and open runs keep the version
 * they were started with. A run started before there were versions takes the first one listed.
 *
 * ```ts
 * defineApp({ crews: { briefing: versions({ current: "2", "1": briefingBefore, "2": briefing }) } });
 * ```
 *
 * Throws `invalid_definition` for a current version outside the list.
 */
export function versions<Definition extends object>(listed: {
  readonly current: string;
  readonly [version: string]: Definition | string;
}): Versions<Definition> {
  const { current, ...others } = listed;
  const all = new Map(Object.entries(others as Record<string, Definition>));
  if (all.has(current)) return new Versions(current, all);
  const known = [...all.keys()].map((version) => preview(version)).join(", ") || "none";
  throw new EngineError(
    "invalid_definition",
    `versions: current must be one of the versions listed (${known}), got ${preview(current)}`,
  );
}

/** Definition for new runs: any of the versions, as far as types can tell. */
export type CurrentOf<Listed> = Listed extends Versions<infer Definition> ? Definition : Listed;

/** Definitions by name, of which some have versions. */
export type Versioned<Definition> = Readonly<Record<string, Definition | Versions<Definition>>>;

/** Definitions of the deployed code, by name and version. */
export class VersionedDefinitions<Definition extends object> {
  /** The current ones, by name. */
  readonly current: Readonly<Record<string, Definition>>;
  readonly #versions: ReadonlyMap<string, Versions<Definition>>;

  constructor(registered: Versioned<Definition>) {
    const entries = Object.entries(registered);
    this.#versions = new Map(
      entries.filter((entry): entry is [string, Versions<Definition>] => isVersions(entry[1])),
    );
    // The object itself without versions, so later additions to it count.
    this.current =
      this.#versions.size === 0
        ? (registered as Readonly<Record<string, Definition>>)
        : Object.fromEntries(entries.map(([name, value]) => [name, currentOf(value)]));
  }

  /** Returns the version for a new run of this name; undefined without versions. */
  currentVersion(name: string): string | undefined {
    return this.#versions.get(name)?.current;
  }

  /**
   * Returns the definition for a run of this name and version; undefined for an unknown name. Throws `not_found` for an
   * unknown version.
   */
  find({
    name,
    definitionVersion,
  }: Pick<RunStart, "name" | "definitionVersion">): Definition | undefined {
    const listed = this.#versions.get(name);
    if (listed === undefined)
      return Object.hasOwn(this.current, name) ? this.current[name] : undefined;
    const [first] = listed.all.keys();
    const version = definitionVersion ?? first ?? listed.current;
    const found = listed.all.get(version);
    if (found !== undefined) return found;
    throw new EngineError(
      "not_found",
      `"${name}" has no version ${preview(version)} any more; this deployment has ${[...listed.all.keys()].map((each) => preview(each)).join(", ")}`,
    );
  }
}

function isVersions<Definition>(
  value: Definition | Versions<Definition>,
): value is Versions<Definition> {
  return value instanceof Versions;
}

function currentOf<Definition extends object>(
  value: Definition | Versions<Definition>,
): Definition {
  return isVersions(value) ? (value.all.get(value.current) as Definition) : value;
}

/** Brings all definitions, and all versions of them, into another form. */
export function mapVersions<From, To>(
  registered: Versioned<From>,
  adapt: (definition: From, name: string) => To,
): Versioned<To> {
  return Object.fromEntries(
    Object.entries(registered).map(([name, value]) => {
      if (!isVersions(value)) return [name, adapt(value, name)];
      const all = new Map([...value.all].map(([version, each]) => [version, adapt(each, name)]));
      return [name, new Versions(value.current, all)];
    }),
  );
}
