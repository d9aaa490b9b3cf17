/**
 * A tool that a provider runs by itself, in the course of an answer, where its model has it. The other side does the work, so there is
 * no step, no approval and no limit of uses for what it does, beside those that are named here.
 */
export type BuiltinTool =
  | {
      readonly kind: "web_search";
      readonly maxUses?: number | undefined;
      /** Either these domains, or all but `blockedDomains`. */
      readonly allowedDomains?: readonly string[] | undefined;
      readonly blockedDomains?: readonly string[] | undefined;
      readonly userLocation?: UserLocation | undefined;
      /** OpenAI: how much of what is found the model reads. */
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
      /** Names the server in what the model does. */
      readonly label: string;
      readonly url: string;
      /** The bearer token; the provider sends it on. */
      readonly token?: string | undefined;
      /** The tools that the model may call. @default all */
      readonly allowedTools?: readonly string[] | undefined;
    };

/** Where a person is, as far as a search is to know it. */
export type UserLocation = {
  readonly city?: string | undefined;
  readonly region?: string | undefined;
  /** Two letters. */
  readonly country?: string | undefined;
  readonly timezone?: string | undefined;
};

/** The kind of a provider's tool. */
export type BuiltinKind = BuiltinTool["kind"];

/** An image that a provider's tool has made, in base64. */
export type GeneratedImage = { readonly data: string; readonly mediaType: string };
