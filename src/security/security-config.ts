import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import { Fingerprint, type FingerprintRecord } from "./fingerprint.ts";

/** A fingerprint, its record, its seed, or null: the seed is the definition's own key then. */
export type FingerprintSpec = Fingerprint | FingerprintRecord | string | null;

/** Forms of `securityConfig`: a seed, or an object with a fingerprint. */
export type SecurityOptions =
  | string
  | null
  | SecurityConfig
  | { readonly fingerprint?: FingerprintSpec | undefined };

/** Audit data of a crew, agent or task. */
export class SecurityConfig {
  readonly fingerprint: Fingerprint | undefined;

  /** Throws `invalid_definition` for an invalid fingerprint. */
  constructor(options: { readonly fingerprint?: FingerprintSpec | undefined } = {}) {
    this.fingerprint = toFingerprint(options.fingerprint);
  }

  toDict(): { readonly fingerprint?: FingerprintRecord } {
    return this.fingerprint === undefined ? {} : { fingerprint: this.fingerprint.toDict() };
  }
}

/** Reads a definition's `securityConfig`. */
export function securityConfigOf(options: SecurityOptions | undefined): SecurityConfig {
  if (options instanceof SecurityConfig) return options;
  if (options === undefined || options === null) return NO_CONFIG;
  if (typeof options === "string") return new SecurityConfig({ fingerprint: options });
  if (typeof options === "object" && !Array.isArray(options)) return new SecurityConfig(options);
  throw invalidDefinition(`securityConfig must be a seed or an object, got ${preview(options)}`);
}

const NO_CONFIG = new SecurityConfig();

const derived = new WeakMap<object, Fingerprint>();

/** The fingerprint of a definition: the configured one, otherwise one derived from its key. */
export function fingerprintOf(
  definition: { readonly securityConfig: SecurityConfig; readonly key: string },
  kind: "agent" | "task" | "crew",
): Fingerprint {
  const configured = definition.securityConfig.fingerprint;
  if (configured !== undefined) return configured;
  let made = derived.get(definition);
  if (made === undefined)
    derived.set(definition, (made = Fingerprint.generate(`${kind}:${definition.key}`)));
  return made;
}

/** Returns the field `fingerprint` of events; undefined without a configured one, which keeps other events small. */
export function fingerprintField({
  securityConfig,
}: {
  readonly securityConfig?: SecurityConfig;
}): { readonly fingerprint: string } | undefined {
  const fingerprint = securityConfig?.fingerprint;
  return fingerprint === undefined ? undefined : { fingerprint: fingerprint.uuid };
}

/** The caller of a tool. It is passed separately from the arguments, because a model writes those. */
export type ToolSecurity = {
  readonly agentFingerprint: Fingerprint;
  /** Absent outside a task. */
  readonly taskFingerprint?: Fingerprint;
};

function toFingerprint(spec: FingerprintSpec | undefined): Fingerprint | undefined {
  if (spec === undefined || spec === null) return undefined;
  if (spec instanceof Fingerprint) return spec;
  if (typeof spec === "string") return Fingerprint.generate(spec);
  if (typeof spec === "object" && !Array.isArray(spec)) return Fingerprint.fromDict(spec);
  throw invalidDefinition(
    `fingerprint must be a seed, a record or a Fingerprint, got ${preview(spec)}`,
  );
}
