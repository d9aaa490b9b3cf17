/**
 * Tool a provider runs by itself, within an answer, if its model supports it. The provider does the work, so apart from
 * the named settings it has no step, no approval and no limit of uses.
 */
export type BuiltinTool =
  | {
      readonly kind: "web_search";
      readonly maxUses?: number | undefined;
      /** Either these domains, or all but `blockedDomains`. */
      readonly allowedDomains?: readonly string[] | undefined;
      readonly blockedDomains?: readonly string[] | undefined;
      readonly userLocation?: UserLocation | undefined;
      /** OpenAI: amount of the results the model reads. */
      readonly contextSize?: "low" | "medium" | "high" | undefined;
    }
  | {
      readonly kind: "web_fetch";
      readonly maxUses?: number | undefined;
      readonly allowedDomains?: readonly string[] | undefined;
      readonly blockedDomains?: readonly string[] | undefined;
      readonly maxContentTokens?: number | undefined;
    }
  | { readonly kind: "code_execution" }
  | {
      readonly kind: "file_search";
      readonly vectorStoreIds: readonly string[];
      readonly maxResults?: number | undefined;
    }
  | {
      readonly kind: "image_generation";
      readonly size?: string | undefined;
      readonly quality?: "low" | "medium" | "high" | "auto" | undefined;
      readonly background?: "transparent" | "opaque" | "auto" | undefined;
      readonly outputFormat?: "png" | "jpeg" | "webp" | undefined;
    }
  | {
      readonly kind: "mcp";
      /** Name of the server in the model's calls. */
      readonly label: string;
      readonly url: string;
      /** The bearer token; the provider sends it on. */
      readonly token?: string | undefined;
      /** Tools the model may call. @default all */
      readonly allowedTools?: readonly string[] | undefined;
    };

/** Location of a person, for a search. */
export type UserLocation = {
  readonly city?: string | undefined;
  readonly region?: string | undefined;
  /** Two letters. */
  readonly country?: string | undefined;
  readonly timezone?: string | undefined;
};

/** The kind of a provider's tool. */
export type BuiltinKind = BuiltinTool["kind"];

/** Image made by a provider's tool, in base64. */
export type GeneratedImage = { readonly data: string; readonly mediaType: string };
