// Rules for models and embedders named in data: in stored definitions, in requests. Those in code are unrestricted.
//
//   DR1. Every spec in data is marked before its use, and only marked specs are held to the rules. A copy of a marked
//        object is not marked, so the mark is set on the object passed to the resolver.
//   DR2. An address in data is a public one over https, or one of the deployment's listed hosts. Redirects from there
//        are not followed, so neither request nor key goes on to another address.
//   DR3. A secret in data is named, from a list of the deployment's, or sealed. A named one goes to the provider's own
//        address or to a listed host; another address receives only the definition's own key.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview } from "../base/json.ts";
import { systemFetch } from "../base/system.ts";
import { noteSecret } from "../security/known-secrets.ts";
import { isListed } from "../security/host-list.ts";
import { checkOutboundUrl, type OutboundPolicy } from "../security/outbound.ts";
import type { Variables } from "./variables.ts";

/** Reference to a key: a variable's name, or a sealed text with its owner. */
export type SecretReference =
  | { readonly secret: string }
  | { readonly sealed: string; readonly owner: string };

/** A deployment's rules for specs from data. */
export type DefinitionRules = {
  readonly outbound: OutboundPolicy;
  /**
   * Hosts allowed in data, including private ones: `api.example.com`, `*.example.com`, `localhost:11434`.
   * @default every public host, over https
   */
  readonly modelHosts?: readonly string[] | undefined;
  /** Variables allowed as secrets in data. @default [] */
  readonly secrets?: readonly string[] | undefined;
  /** Seals a key for an owner. Throws `unavailable` if the deployment has no sealing key. */
  readonly seal?: (key: string, owner: string) => Promise<string>;
  /** Opens a sealed key. */
  readonly open?: (sealed: string, owner: string) => Promise<string>;
};

const fromData = new WeakSet();

/** Marks a value and everything in it as data; returns it. */
export function markAsData<Value>(value: Value): Value {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null || fromData.has(next)) continue;
    fromData.add(next);
    left.push(...Object.values(next));
  }
  return value;
}

export function isFromData(spec: object): boolean {
  return fromData.has(spec);
}

export function isSecretReference(value: unknown): value is SecretReference {
  if (!isJsonObject(value)) return false;
  const { secret, sealed, owner } = value;
  const names = Object.keys(value).length;
  return (
    (typeof secret === "string" && secret !== "" && names === 1) ||
    (typeof sealed === "string" && typeof owner === "string" && names === 2)
  );
}

/** Address and key of a spec. */
export type NamedConnection = {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | SecretReference | undefined;
};

/** Checked connection: a key, or the reason for its absence, and the network. */
export type HeldConnection = {
  readonly apiKey?: string;
  readonly missingKey?: string;
  readonly fetch: typeof fetch | undefined;
};

type Place = {
  /** Name of the spec in messages. */
  readonly id: string;
  readonly variables: Variables;
  /** Absent for specs of the code. */
  readonly rules: DefinitionRules | undefined;
  readonly fetch: typeof fetch | undefined;
};

/** Throws `invalid_definition` for an address or a secret not allowed in data. */
export function checkNamed(
  { baseUrl, apiKey }: NamedConnection,
  { id, rules }: Pick<Place, "id" | "rules">,
): void {
  if (rules === undefined) return;
  if (baseUrl !== undefined) checkAddress(baseUrl, id, rules);
  if (typeof apiKey !== "object" || !("secret" in apiKey)) return;
  if (!(rules.secrets ?? []).includes(apiKey.secret))
    throw invalid(
      `${id}: apiKey names the secret ${preview(apiKey.secret)}, which this deployment does not list (defineApp({ secrets: [...] }))`,
    );
  if (baseUrl !== undefined && !isListed(new URL(baseUrl), rules.modelHosts))
    throw invalid(
      `${id}: a secret of the deployment goes to the provider's own address, or to a host that it lists (defineApp({ modelHosts: [...] })); got ${preview(new URL(baseUrl).host)}`,
    );
}

/** The key of a spec and the network to use it in. Throws as `checkNamed`. */
export function holdConnection(named: NamedConnection, place: Place): HeldConnection {
  const { id, variables, rules, fetch: inner } = place;
  checkNamed(named, place);
  const { baseUrl, apiKey } = named;
  const guarded =
    rules === undefined || baseUrl === undefined ? inner : withoutRedirects(id, inner);
  if (apiKey === undefined) return { fetch: guarded };
  if (typeof apiKey === "string") return { apiKey: noteSecret(apiKey), fetch: guarded };
  if ("sealed" in apiKey) {
    const placeholder = `sealed-${(lastPlaceholder += 1)}-key`;
    return {
      apiKey: placeholder,
      fetch: opening({ placeholder, apiKey, ...place, fetch: guarded }),
    };
  }
  const value = variables[apiKey.secret]?.trim();
  if (value === undefined || value === "")
    return { missingKey: `the secret ${apiKey.secret} is not set`, fetch: guarded };
  return { apiKey: noteSecret(value), fetch: guarded };
}

let lastPlaceholder = 0;

function checkAddress(
  baseUrl: string,
  id: string,
  { outbound, modelHosts }: DefinitionRules,
): void {
  const field = `${id}: baseUrl`;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (modelHosts === undefined || url === undefined) {
    const checked = refusedAsInvalid(() => checkOutboundUrl(baseUrl, field, outbound));
    if (checked.protocol === "https:" || outbound.allowPrivate === true) return;
    throw invalid(`${field} must begin with https://, got ${preview(baseUrl, 200)}`);
  }
  refusedAsInvalid(() => checkOutboundUrl(baseUrl, field, { allowPrivate: true }));
  if (isListed(url, modelHosts)) return;
  const listed = modelHosts.join(", ") || "none";
  throw invalid(
    `${field} must be of a host that this deployment lists (defineApp({ modelHosts: [...] })): ${listed}; got ${preview(url.host)}`,
  );
}

function refusedAsInvalid<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw invalid(error.message);
  }
}

function withoutRedirects(id: string, inner: typeof fetch = systemFetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: "manual" });
    if (response.status < 300 || response.status > 399 || response.status === 304) return response;
    await response.body?.cancel();
    throw new EngineError(
      "model_rejected",
      `${id} answered ${response.status}, a redirect, which is not followed from an address of a definition: name the last one`,
    );
  };
}

/** Replaces the placeholder in headers with the opened key, which exists only during requests. */
function opening({
  placeholder,
  apiKey,
  rules,
  fetch: inner = systemFetch,
}: Pick<Place, "rules" | "fetch"> & {
  readonly placeholder: string;
  readonly apiKey: { readonly sealed: string; readonly owner: string };
}): typeof fetch {
  return async (input, init) => {
    const open = rules?.open;
    if (open === undefined)
      throw new EngineError(
        "model_unauthorized",
        "a sealed key cannot be opened outside of a Worker",
      );
    const key = noteSecret(await open(apiKey.sealed, apiKey.owner));
    const headers = new Headers(
      init?.headers ?? (input instanceof Request ? input.headers : undefined),
    );
    for (const [name, value] of headers)
      if (value.includes(placeholder))
        headers.set(
          name,
          value.replace(placeholder, () => key),
        );
    return inner(input, { ...init, headers });
  };
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
