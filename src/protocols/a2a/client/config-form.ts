// Normalizes settings of a remote agent: camelCase names, deprecated fields replaced by their successors, short forms
// of updates and signatures written out.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject } from "../../../base/json.ts";
import { authForm } from "./auth-config.ts";

/** Returns settings in the schema's form. `extensions` finds extensions by their names in data. */
export function configForm(
  settings: unknown,
  warnings: string[],
  extensions: (named: unknown) => unknown,
): unknown {
  const fields = camelFields(settings);
  if (fields === undefined) return settings;
  const { transportProtocol, supportedTransports, useClientPreference, ...rest } = fields;
  const { auth, transport, updates: asked, clientExtensions, responseModel, ...plain } = rest;
  const form: Record<string, unknown> = { ...plain };
  if (auth !== undefined) form["auth"] = authForm(auth);
  if (asked !== undefined) form["updates"] = updatesForm(asked, warnings);
  if (responseModel !== undefined) form["responseModel"] = schemaForm(responseModel);
  if (plain["cardSignature"] !== undefined)
    form["cardSignature"] = camelFields(plain["cardSignature"]) ?? plain["cardSignature"];
  if (Array.isArray(clientExtensions))
    form["clientExtensions"] = clientExtensions.map((each) => extensions(each));
  else if (clientExtensions !== undefined) form["clientExtensions"] = clientExtensions;
  const chosen = transportForm(
    transport,
    { transportProtocol, supportedTransports, useClientPreference },
    warnings,
  );
  if (chosen !== undefined) form["transport"] = chosen;
  return form;
}

type Deprecated = Readonly<
  Record<"transportProtocol" | "supportedTransports" | "useClientPreference", unknown>
>;

function transportForm(transport: unknown, old: Deprecated, warnings: string[]): unknown {
  const fields = camelFields(transport);
  if (transport !== undefined && fields === undefined) return transport;
  const form: Record<string, unknown> = { ...fields };
  for (const name of ["jsonrpc", "grpc"])
    if (form[name] !== undefined) form[name] = camelFields(form[name]) ?? form[name];
  if (form["grpc"] !== undefined)
    warnings.push("transport.grpc has no effect: gRPC cannot be spoken from here");
  const { transportProtocol, supportedTransports, useClientPreference } = old;
  const instead = (name: string, by: string): number =>
    warnings.push(`${name} is deprecated: use ${by}`);
  if (supportedTransports !== undefined) {
    instead("supported_transports", "transport.supported");
    form["supported"] ??= supportedTransports;
  }
  if (transportProtocol !== undefined) {
    instead("transport_protocol", "transport.preferred");
    form["preferred"] ??= transportProtocol;
  }
  if (useClientPreference !== undefined) {
    instead("use_client_preference", "transport.preferred");
    const [first] = (Array.isArray(form["supported"]) ? form["supported"] : []) as unknown[];
    if (useClientPreference === true) form["preferred"] ??= first ?? "JSONRPC";
  }
  return Object.keys(form).length === 0 ? undefined : form;
}

/** Writes out `"polling"`, `{ interval: 5 }` and `{ url: "…" }`. */
function updatesForm(value: unknown, warnings: string[]): unknown {
  if (typeof value === "string") return { type: value };
  const fields = camelFields(value);
  if (fields === undefined) return value;
  const { resultStore, ...rest } = fields;
  if (resultStore !== undefined)
    warnings.push("updates.result_store is not needed: the run itself waits for the callback");
  const isPush = ["url", "token", "signature", "authentication", "id"].some((name) => name in rest);
  const isPolling = ["interval", "maxPolls", "historyLength", "timeout"].some(
    (name) => name in rest,
  );
  const type = rest["type"] ?? (isPush ? "push" : isPolling ? "polling" : "streaming");
  const form: Record<string, unknown> = { ...rest, type };
  const { signature: signed } = rest;
  if (signed !== undefined) {
    const isSecret =
      typeof signed === "string" ||
      (isJsonObject(signed) && ("sealed" in signed || Object.keys(signed).join() === "secret"));
    form["signature"] = isSecret
      ? {
          secret:
            isJsonObject(signed) && "sealed" in signed
              ? signed
              : typeof signed === "string"
                ? signed
                : nestedSecret(signed),
        }
      : (camelFields(signed) ?? signed);
  }
  return form;
}

/** `{ secret: "NAME" }` names a secret, `{ secret: { secret: "NAME" } }` is a settings object with one. */
function nestedSecret(signed: unknown): unknown {
  const { secret: inner } = signed as { secret: unknown };
  return typeof inner === "string" ? signed : inner;
}

function schemaForm(schema: unknown): unknown {
  if (schema instanceof z.ZodType) return JSON.parse(JSON.stringify(z.toJSONSchema(schema)));
  return schema;
}

/** Returns the present fields in camelCase; undefined for other values than objects. */
function camelFields(value: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([name, each]) => [camelCase(name), each]),
  );
}
