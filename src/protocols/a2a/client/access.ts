// Permitted targets and secrets of requests to one remote agent.
//
//   AXA1. Endpoints, interfaces on cards and token servers named by data are public ones over https, or of the listed
//         hosts.
//   AXA2. A secret named by data is on the deployment's list, and is sent only to listed hosts.
//   AXA3. An address named by a card is public. Exceptions: the endpoint itself is private and comes from code, or the
//         deployment permits private addresses.
import type { Clock } from "../../../base/clock.ts";
import { EngineError } from "../../../base/error.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { preview } from "../../../base/json.ts";
import type { DefinitionRules } from "../../../llm/definition-rules.ts";
import { isListed } from "../../../security/host-list.ts";
import { noteSecret } from "../../../security/known-secrets.ts";
import { checkOutboundUrl, type OutboundPolicy } from "../../../security/outbound.ts";
import type { A2ASecret } from "./auth-config.ts";

/** Resources of a deployment for calling remote agents. */
export type A2AAccess = {
  /** Tokens and cards of one tenant are never used for another. */
  readonly tenant: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly outbound: OutboundPolicy;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The deployment's rules for data. */
  readonly rules?: DefinitionRules | undefined;
  /** Hosts permitted in data. @default every public host, over https */
  readonly hosts?: readonly string[] | undefined;
};

/** Access of settings from code, or from data. */
export class AgentAccess {
  readonly base: A2AAccess;
  readonly fromData: boolean;
  /** Permitted targets, also behind redirects and on cards. */
  readonly policy: OutboundPolicy;

  constructor(base: A2AAccess, endpoint: string, fromData: boolean) {
    this.base = base;
    this.fromData = fromData;
    const allowPrivate = base.outbound.allowPrivate === true || (!fromData && isPrivate(endpoint));
    this.policy = { allowPrivate };
  }

  /** Returns the address. Fails with `invalid_definition` for a forbidden target (AXA1, AXA3). */
  checkAddress(address: string, field: string): URL {
    const { hosts } = this.base;
    if (!this.fromData)
      return refusedAsInvalid(() => checkOutboundUrl(address, field, this.policy));
    const isNamed =
      hosts !== undefined && URL.canParse(address) && isListed(new URL(address), hosts);
    const policy = isNamed ? { allowPrivate: true } : this.policy;
    const url = refusedAsInvalid(() => checkOutboundUrl(address, field, policy));
    if (isNamed) return url;
    if (hosts !== undefined)
      throw invalidDefinition(
        `${field} must be of a host that this deployment lists (a2aClient({ hosts: [...] })): ${hosts.join(", ") || "none"}; got ${preview(url.host)}`,
      );
    if (url.protocol === "https:" || this.policy.allowPrivate === true) return url;
    throw invalidDefinition(`${field} must begin with https://, got ${preview(address, 200)}`);
  }

  /** Fails with `invalid_definition` if the secret must not be sent to the address (AXA2). */
  checkSecret(secret: A2ASecret | undefined, address: string, field: string): void {
    if (!this.fromData || typeof secret !== "object" || !("secret" in secret)) return;
    const { rules, hosts } = this.base;
    if (!(rules?.secrets ?? []).includes(secret.secret))
      throw invalidDefinition(
        `${field} names the secret ${preview(secret.secret)}, which this deployment does not list (defineApp({ secrets: [...] }))`,
      );
    const url = new URL(address);
    if (!isListed(url, hosts ?? rules?.modelHosts))
      throw invalidDefinition(
        `${field}: a secret of the deployment goes only to a host that it lists (a2aClient({ hosts: [...] })), got ${preview(url.host)}`,
      );
  }

  /** Resolves a secret for an address. */
  async secret(secret: A2ASecret, address: string, field: string): Promise<string> {
    if (typeof secret === "string") return noteSecret(secret);
    this.checkSecret(secret, address, field);
    if ("sealed" in secret) {
      const open = this.base.rules?.open;
      if (open === undefined)
        throw new EngineError(
          "unavailable",
          `${field} is sealed, and can be opened only in the Worker that stored it`,
        );
      return noteSecret(await open(secret.sealed, secret.owner));
    }
    const value = this.base.variables[secret.secret]?.trim();
    if (value === undefined || value === "")
      throw new EngineError(
        "unavailable",
        `${field} names the secret ${secret.secret}, which is not set`,
      );
    return noteSecret(value);
  }
}

function isPrivate(address: string): boolean {
  try {
    checkOutboundUrl(address, "endpoint");
    return false;
  } catch {
    return true;
  }
}

function refusedAsInvalid<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw invalidDefinition(error.message);
  }
}
