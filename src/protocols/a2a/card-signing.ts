// Signed cards: A2A 1.0 section 8.4, a JWS with a detached payload.
//
//   AJ1. The payload is the card by the presence rules of the specification, as canonical JSON (RFC 8785). The official
//        SDKs leave out more: empty members of maps, and in a parsed card the wrappers of their types. Each different
//        form has a signature of its own, and verifiers need one valid signature.
import { AgentCard as SdkCard, canonicalizeAgentCard } from "@a2a-js/sdk";
import { FlattenedSign, type JWK } from "jose";
import { importJWK, importPKCS8 } from "jose/key/import";
import { EngineError, errorMessage } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { AgentCard } from "./agent-card.ts";
import { withV03Members } from "./v0-3/codec.ts";

/** Key and algorithm for signing cards. */
export type CardSigning = {
  /** Name of the secret with the private key: PKCS #8 as PEM, or a JWK. */
  readonly key: string;
  /** Identifies the key for verifiers. */
  readonly keyId: string;
  /** @default "ES256" */
  readonly algorithm?: (typeof ALGORITHMS)[number];
  /** Address of the public key: a JWK Set. @default verifiers must know the key */
  readonly jku?: string;
};

const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
] as const;
/** Maximum number of cards with signatures in memory. */
const MAX_KEPT = 100;

type Signatures = NonNullable<AgentCard["signatures"]>;

/** Signs cards, each only once in this process. */
export class CardSigner {
  readonly #signings: readonly CardSigning[];
  readonly #kept = new Map<string, Promise<Signatures>>();

  /** Fails with `invalid_definition`. */
  constructor(signing: CardSigning | readonly CardSigning[] | undefined) {
    this.#signings = signing === undefined ? [] : [signing].flat();
    for (const { key, keyId, algorithm = "ES256" } of this.#signings) {
      if (typeof key !== "string" || key === "" || typeof keyId !== "string" || keyId === "")
        throw new EngineError(
          "invalid_definition",
          `a2a: signing must have a key (the name of a secret) and a keyId, got ${preview({ key, keyId })}`,
        );
      if (!ALGORITHMS.includes(algorithm))
        throw new EngineError(
          "invalid_definition",
          `a2a: signing.algorithm must be one of ${ALGORITHMS.join(", ")}, got ${preview(algorithm)}`,
        );
    }
  }

  /** Returns the card with its signatures. Fails with `unavailable` if the key is missing or unusable. */
  async signed(
    card: AgentCard,
    variables: Readonly<Record<string, string | undefined>>,
  ): Promise<AgentCard> {
    if (this.#signings.length === 0) return card;
    const text = JSON.stringify(card);
    let signatures = this.#kept.get(text);
    if (signatures === undefined) {
      signatures = this.#sign(card, variables);
      this.#kept.set(text, signatures);
      signatures.catch(() => this.#kept.delete(text));
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    }
    return { ...card, signatures: await signatures };
  }

  async #sign(
    card: AgentCard,
    variables: Readonly<Record<string, string | undefined>>,
  ): Promise<Signatures> {
    const payloads = new Set([
      canonicalCard(card),
      // The served form for clients of 0.3.
      canonicalCard(withV03Members(card) as AgentCard),
      canonicalizeAgentCard(card as unknown as SdkCard),
      canonicalizeAgentCard(SdkCard.fromJSON(card)),
    ]);
    const signatures = this.#signings.map(
      async ({ key: name, keyId, algorithm = "ES256", jku }) => {
        const key = await privateKey(name, variables[name], algorithm);
        const header = {
          alg: algorithm,
          kid: keyId,
          typ: "JOSE",
          ...(jku === undefined ? undefined : { jku }),
        };
        return Promise.all(
          Array.from(payloads, async (payload) => {
            const sign = new FlattenedSign(new TextEncoder().encode(payload));
            const made = await sign.setProtectedHeader(header).sign(key);
            return { protected: made.protected ?? "", signature: made.signature };
          }),
        );
      },
    );
    return (await Promise.all(signatures)).flat();
  }
}

async function privateKey(name: string, secret: string | undefined, algorithm: string) {
  if (secret === undefined || secret.trim() === "")
    throw new EngineError(
      "unavailable",
      `cards are signed with the secret ${name}, which is not set: \`wrangler secret put ${name}\``,
    );
  try {
    return secret.trim().startsWith("{")
      ? await importJWK(JSON.parse(secret) as JWK, algorithm)
      : await importPKCS8(secret.replaceAll("\\n", "\n"), algorithm);
  } catch (error) {
    throw new EngineError(
      "unavailable",
      `the secret ${name} must be a private key for ${algorithm}, as PEM (PKCS #8) or JWK: ${errorMessage(error)}`,
    );
  }
}

/** Returns a card as canonical JSON, by the presence rules. */
export function canonicalCard(card: AgentCard): string {
  const { signatures: _, securityRequirements, ...others } = card;
  const requirements = securityRequirements?.map(({ schemes }) => ({
    schemes: Object.fromEntries(
      Object.entries(schemes).map(([name, { list }]) => [name, list.length === 0 ? {} : { list }]),
    ),
  }));
  return canonicalJson({
    ...others,
    ...(requirements === undefined ? undefined : { securityRequirements: requirements }),
  });
}

/** Returns JSON by RFC 8785: members sorted by UTF-16 units, without spaces. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
