// Used parts of Cloudflare's bindings, as small interfaces the bindings fit.
import { EngineError, errorMessage } from "../../../base/error.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { AiBinding } from "../../../llm/workers-ai/ai-binding.ts";
import { serviceFailure } from "../base/service-failure.ts";

/** Sends emails; the binding `EMAIL` (Email Service) fits it. */
export interface EmailSender {
  send(email: Email): Promise<{ readonly messageId?: string }>;
}

export type Email = {
  readonly from: string | { readonly email: string; readonly name: string };
  readonly to: string[];
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly replyTo?: string;
};

/** Converts documents to Markdown; the binding `AI` fits it. */
export interface MarkdownConverter {
  toMarkdown(file: { readonly name: string; readonly blob: Blob }): Promise<Converted>;
}

export type Converted =
  | { readonly format: "markdown"; readonly data: string; readonly tokens: number }
  | { readonly format: "error"; readonly error: string };

/** Searches an instance of AI Search; the binding `AI_SEARCH` to one instance fits it. */
export interface AiSearchInstance {
  search(request: {
    readonly query: string;
    readonly ai_search_options: {
      readonly retrieval: { readonly max_num_results?: number; readonly match_threshold?: number };
    };
  }): Promise<unknown>;
}

/** Namespace of instances by name; the binding `AI_SEARCH` to a namespace fits it. */
export interface AiSearchNamespace {
  get(name: string): AiSearchInstance;
}

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /** Sends the emails of `send_email`. */
    readonly email?: EmailSender;
    /** Makes the images of WorkersAiImageTool. */
    readonly workersAi?: AiBinding;
    /** Converts the documents of `to_markdown`. */
    readonly markdown?: MarkdownConverter;
    /** Instance or namespace for `ai_search`. */
    readonly aiSearch?: AiSearchInstance | AiSearchNamespace;
  }
}

/** Binding required by a tool. */
export type BindingNeed = {
  readonly tool: string;
  /** The binding's name. */
  readonly name: string;
  /** Its settings in wrangler.toml. */
  readonly settings: string;
};

/** Returns the service of a binding. Fails with `invalid_definition` and instructions to bind it. */
export function bound<Service>(
  service: Service | undefined,
  { tool, name, settings }: BindingNeed,
): Service {
  if (service !== undefined) return service;
  throw invalidDefinition(
    `${tool} needs the binding ${name}, which this Worker does not have: add ${settings} to wrangler.toml`,
  );
}

/** Converts an error of a binding to a failure. `retried` are codes of temporary errors without effect. */
export function bindingFailure(
  error: unknown,
  { service, retried = [] }: { readonly service: string; readonly retried?: readonly string[] },
): EngineError {
  if (EngineError.is(error)) return error;
  const { code } = error as { readonly code?: unknown };
  const known = typeof code === "string" ? code : undefined;
  const passes = known !== undefined && retried.includes(known);
  return serviceFailure({
    code: known ?? "failed",
    message: `${service} failed: ${errorMessage(error).slice(0, 500)}`,
    ...(passes ? { retryable: true, unsent: true } : undefined),
  });
}
