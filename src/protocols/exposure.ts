// Exposure: subjects that third-party callers may start, and their public descriptions.
//
//   XP1. Only subjects named by the app are exposed: each as `kind/name`, or all of them, stored definitions included.
//   XP2. A subject's public name comes from the app, or is its own name. If two kinds share a name, the qualified one
//        (`crew.briefing`) distinguishes them; it always works.
//   XP3. Unexposed subjects are not found, like unknown ones.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { Part, PartHost, Subject, Subjects } from "../parts/part.ts";
import { placeholderSchema, skillsOf, tagOf } from "../parts/subject-info.ts";
import { checkSettingsOption } from "./caller-settings.ts";
import { findSubject, subjectsOf } from "../parts/subjects.ts";
import type { ExposedOptions, ExposedSubject } from "./exposed-subject.ts";

/** Subjects by kind and name, such as `{ "crew/briefing": { description: "…" }, "agent/analyst": true }`, or `"all"`. */
export type Expose = "all" | Readonly<Record<string, ExposedOptions | true>>;

const PUBLIC_NAME = /^[\p{L}\p{N}_.-][\p{L}\p{M}\p{N}_.-]{0,127}$/u;
/** Maximum number of stored definitions in one listing. */
const MAX_STORED = 200;

/** The exposed subjects of an app. */
export class Exposure {
  readonly #expose: Expose;
  readonly #subjects: ReadonlyMap<string, Subjects>;
  readonly #definitions: PartHost["definitions"];

  /** Fails with `invalid_definition` for an invalid `expose`. */
  constructor(expose: Expose, host: Pick<PartHost, "parts" | "definitions">) {
    checkExpose(expose);
    this.#expose = expose;
    this.#subjects = subjectsOf(host.parts);
    this.#definitions = host.definitions;
  }

  /** Fails with `not_found` (XP3). */
  async find(tenant: string, publicName: string): Promise<ExposedSubject> {
    for (const { kind, name, options } of this.#candidates(publicName)) {
      const subject = await this.#subject(tenant, kind, name);
      if (subject !== undefined) return exposed({ kind, name, subject, options }, publicName);
    }
    throw new EngineError("not_found", `no exposed target ${preview(publicName)}`);
  }

  /** Fails with `not_found`. `kind` and `name` are the subject's own. */
  async findOwn(tenant: string, { kind, name }: SubjectRef): Promise<ExposedSubject> {
    const options = this.#optionsOf(kind, name);
    const subject = options && (await this.#subject(tenant, kind, name));
    if (subject === undefined || options === undefined)
      throw new EngineError("not_found", `${kind} ${preview(name)} is not exposed`);
    return exposed({ kind, name, subject, options });
  }

  /**
   * Lists the tenant's startable subjects, in the order of the app's list; for `"all"`, those of the code come first.
   */
  async list(tenant: string): Promise<readonly ExposedSubject[]> {
    const refs = this.#expose === "all" ? await this.#all(tenant) : this.#listed();
    const found = await Promise.all(
      refs.map(async ({ kind, name, options }) => {
        const subject = await this.#subject(tenant, kind, name).catch(() => undefined);
        return subject === undefined ? [] : [exposed({ kind, name, subject, options })];
      }),
    );
    const all = found.flat();
    const first = new Map(all.toReversed().map((each) => [each.publicName, each]));
    return all.map((each) =>
      first.get(each.publicName) === each ? each : { ...each, publicName: qualified(each) },
    );
  }

  #candidates(publicName: string): ReadonlyArray<SubjectRef & { options: ExposedOptions }> {
    const dot = publicName.indexOf(".");
    const kind = publicName.slice(0, Math.max(dot, 0));
    const own = publicName.slice(dot + 1);
    const byKind = this.#subjects.has(kind) ? this.#optionsOf(kind, own) : undefined;
    const qualifiedRef = byKind === undefined ? [] : [{ kind, name: own, options: byKind }];
    const named =
      this.#expose === "all"
        ? Array.from(this.#subjects.keys(), (each) => ({
            kind: each,
            name: publicName,
            options: {},
          }))
        : this.#listed().filter(({ name, options }) => (options.as ?? name) === publicName);
    return [...named, ...qualifiedRef];
  }

  #listed(): ReadonlyArray<SubjectRef & { options: ExposedOptions }> {
    return Object.entries(this.#expose).map(([key, options]) => ({
      ...refOf(key),
      options: options === true ? {} : (options as ExposedOptions),
    }));
  }

  #optionsOf(kind: string, name: string): ExposedOptions | undefined {
    if (this.#expose === "all") return {};
    const key = `${kind}/${name}`;
    const options = Object.hasOwn(this.#expose, key) ? this.#expose[key] : undefined;
    return options === true ? {} : options;
  }

  async #all(tenant: string): Promise<ReadonlyArray<SubjectRef & { options: ExposedOptions }>> {
    const kinds = [...this.#subjects];
    const ofCode = kinds.flatMap(([kind, { names }]) => names().map((name) => ({ kind, name })));
    const stored = await Promise.all(
      kinds.map(async ([kind, { read }]) => {
        if (read === undefined) return [];
        const rows = await this.#definitions.list(tenant, kind, { limit: MAX_STORED });
        return rows.map(({ name }) => ({ kind, name }));
      }),
    );
    return [...ofCode, ...stored.flat()].map((ref) => ({ ...ref, options: {} }));
  }

  /** Returns undefined for an unknown subject. */
  async #subject(tenant: string, kind: string, name: string): Promise<Subject | undefined> {
    try {
      const from = { subjects: this.#subjects, definitions: this.#definitions };
      return await findSubject(from, tenant, { kind, name });
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }
  }
}

/** A subject by its own name. */
export type SubjectRef = { readonly kind: string; readonly name: string };

/** Returns the name by which a subject is always found. */
export function qualified({ kind, name }: SubjectRef): string {
  return `${kind}.${name}`;
}

function exposed(
  found: Pick<ExposedSubject, "kind" | "name" | "subject" | "options">,
  publicName = found.options.as ?? found.name,
): ExposedSubject {
  const { kind, name, subject, options } = found;
  const { description, skills } = options;
  const info = subject.about?.() ?? {
    description: `The ${kind} ${name}`,
    inputSchema: placeholderSchema(subject.requiredInputs),
    skills: skillsOf([{ name, description: `The ${kind} ${name}`, tags: [tagOf(kind)] }]),
  };
  return {
    ...found,
    publicName,
    info: {
      ...info,
      ...(description === undefined ? undefined : { description }),
      ...(skills === undefined ? undefined : { skills }),
    },
  };
}

/** Returns the subject of a key such as `crew/briefing`. */
export function refOf(key: string): SubjectRef {
  const slash = Math.max(0, key.indexOf("/"));
  return { kind: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Fails with `invalid_definition` for an invalid `expose`, or for a kind of subject unknown to the app's parts. */
export function checkExpose(expose: Expose, parts?: readonly Part[]): void {
  if (expose === "all") return;
  if (typeof expose !== "object" || expose === null || Array.isArray(expose))
    throw invalid(`must be "all", or an object by kind and name, got ${preview(expose)}`);
  const kinds = parts === undefined ? undefined : subjectsOf(parts);
  const names = new Set<string>();
  for (const [key, options] of Object.entries(expose)) {
    const { kind, name } = refOf(key);
    if (kind === "" || name === "")
      throw invalid(`has the key ${preview(key)}: expected kind/name, such as "crew/briefing"`);
    if (kinds?.has(kind) === false)
      throw invalid(
        `has the key ${preview(key)}: the kinds of this app are ${[...kinds.keys()].join(", ")}`,
      );
    if (options !== true && (typeof options !== "object" || options === null))
      throw invalid(`["${key}"] must be true or an object, got ${preview(options)}`);
    if (options !== true) checkSettingsOption(key, options);
    const as = options === true ? undefined : options.as;
    if (as === undefined) continue;
    if (!PUBLIC_NAME.test(as))
      throw invalid(
        `["${key}"].as must be 1 to 128 letters, digits, "-", "_" or ".", got ${preview(as)}`,
      );
    if (names.has(as)) throw invalid(`has two subjects with as: "${as}"`);
    names.add(as);
  }
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", `expose ${message}`);
}
