// Fingerprints: the origin of a definition, for audits. They identify definitions, and are no proof by themselves.
//
//   SF1. A seed gives the same UUID (version 5) everywhere. A definition without one gets the UUID of its own key:
//        randomness is not available while modules are loaded, and a replay must reach the same fingerprint.
//   SF2. Two fingerprints are equal if their UUIDs are. A fingerprint never changes.
import { uuidV5 } from "../base/digest.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview, type JsonObject } from "../base/json.ts";
import { randomId } from "../base/system.ts";

/** The namespace of seeds. */
const NAMESPACE = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_METADATA_LENGTH = 10_000;

/** A fingerprint as data. */
export type FingerprintRecord = {
  readonly uuid: string;
  /** ISO 8601, UTC; absent unless it was configured. */
  readonly createdAt?: string;
  readonly metadata: JsonObject;
};

export type FingerprintOptions = {
  /** ISO 8601. The caller sets it, because the clock does not advance while modules are loaded. @default unset */
  readonly createdAt?: string;
};

/** Identifies an agent, crew or task: a UUID that stays the same between runs, with your own metadata. */
export class Fingerprint {
  readonly uuid: string;
  readonly createdAt: string | undefined;
  /** At most one level of nesting, at most 10 000 characters as JSON. */
  readonly metadata: JsonObject;

  private constructor({ uuid, createdAt, metadata }: FingerprintRecord) {
    this.uuid = uuid;
    this.createdAt = createdAt;
    this.metadata = metadata;
  }

  /**
   * Creates a fingerprint: with a seed always the same UUID, without one a random UUID (version 4), which Workers
   * refuse to make while a module is loaded. Throws `invalid_definition` for a blank seed, and for metadata above the
   * limits of depth and length.
   */
  static generate(
    seed?: string,
    metadata: JsonObject = {},
    { createdAt }: FingerprintOptions = {},
  ): Fingerprint {
    if (seed !== undefined && (typeof seed !== "string" || seed.trim() === ""))
      throw invalidDefinition(
        `a fingerprint's seed must be a text that is not blank, got ${preview(seed)}`,
      );
    return Fingerprint.fromDict({
      uuid: seed === undefined ? randomId() : uuidV5(NAMESPACE, seed),
      ...(createdAt === undefined ? undefined : { createdAt }),
      metadata,
    });
  }

  /** Reads the result of `toDict`, also under upstream's names. Throws `invalid_definition`. */
  static fromDict(record: JsonObject | FingerprintRecord): Fingerprint {
    const fields = record as JsonObject;
    const uuid = fields["uuid"] ?? fields["uuid_str"];
    const createdAt = fields["createdAt"] ?? fields["created_at"];
    if (typeof uuid !== "string" || !UUID.test(uuid))
      throw invalidDefinition(
        `a fingerprint's uuid must be a UUID, got ${preview(uuid ?? "none")}`,
      );
    if (createdAt !== undefined && createdAt !== null && !isTime(createdAt))
      throw invalidDefinition(
        `a fingerprint's createdAt must be an ISO time, got ${preview(createdAt)}`,
      );
    const metadata = checkMetadata(fields["metadata"] ?? {});
    return new Fingerprint({
      uuid: uuid.toLowerCase(),
      metadata,
      ...(typeof createdAt === "string" ? { createdAt } : undefined),
    });
  }

  toDict(): FingerprintRecord {
    const { uuid, createdAt, metadata } = this;
    return { uuid, ...(createdAt === undefined ? undefined : { createdAt }), metadata };
  }

  equals(other: Fingerprint): boolean {
    return this.uuid === other.uuid;
  }

  toString(): string {
    return this.uuid;
  }

  toJSON(): FingerprintRecord {
    return this.toDict();
  }
}

function checkMetadata(metadata: unknown): JsonObject {
  if (!isObject(metadata))
    throw invalidDefinition(`a fingerprint's metadata must be an object, got ${preview(metadata)}`);
  for (const [key, value] of Object.entries(metadata)) {
    const inner = isObject(value) ? Object.values(value) : Array.isArray(value) ? value : [];
    if (inner.some((each) => typeof each === "object" && each !== null))
      throw invalidDefinition(
        `a fingerprint's metadata may be nested one level deep, "${key}" is deeper`,
      );
  }
  const { length } = JSON.stringify(metadata);
  if (length > MAX_METADATA_LENGTH)
    throw invalidDefinition(
      `a fingerprint's metadata may have ${MAX_METADATA_LENGTH} characters as JSON, got ${length}`,
    );
  return Object.freeze(structuredClone(metadata));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
