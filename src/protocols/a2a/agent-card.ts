import type { JsonObject } from "../../base/json.ts";
import type { SubjectSkill } from "../../parts/part.ts";

/** An agent card, as JSON. */
export type AgentCard = {
  readonly name: string;
  readonly description: string;
  readonly supportedInterfaces: ReadonlyArray<{
    readonly url: string;
    readonly protocolBinding: "JSONRPC" | "HTTP+JSON";
    readonly protocolVersion: string;
  }>;
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly version: string;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  readonly capabilities: {
    readonly streaming: boolean;
    readonly pushNotifications: boolean;
    readonly extendedAgentCard: boolean;
    readonly extensions?: ReadonlyArray<{
      readonly uri: string;
      readonly description?: string;
      readonly required?: true;
      readonly params?: JsonObject;
    }>;
  };
  readonly securitySchemes?: Readonly<
    Record<
      string,
      | { readonly httpAuthSecurityScheme: { readonly scheme: string } }
      | { readonly openIdConnectSecurityScheme: { readonly openIdConnectUrl: string } }
    >
  >;
  readonly securityRequirements?: ReadonlyArray<{
    readonly schemes: Readonly<Record<string, { readonly list: readonly string[] }>>;
  }>;
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: ReadonlyArray<Omit<SubjectSkill, never>>;
  readonly signatures?: ReadonlyArray<{ readonly protected: string; readonly signature: string }>;
};
