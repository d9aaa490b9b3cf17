// Bindings for tools of the catalogue, as services of runs.
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { PartServices } from "../parts/part.ts";
import type {
  AiSearchInstance,
  AiSearchNamespace,
  EmailSender,
  MarkdownConverter,
} from "../tools/catalog/cloudflare/bindings.ts";

declare module "../parts/part.ts" {
  interface PartEnv {
    /** Email Service: sends the emails of `send_email`. */
    readonly EMAIL?: unknown;
    /** Workers AI: converts documents to Markdown for `to_markdown`, and makes images for WorkersAiImageTool. */
    readonly AI?: unknown;
    /** AI Search for `ai_search`: one instance or a namespace. */
    readonly AI_SEARCH?: unknown;
  }
}

export const TOOL_BINDINGS: PartServices = {
  email: ({ env }) => env.EMAIL as EmailSender | undefined,
  workersAi: ({ env }) => env.AI as AiBinding | undefined,
  markdown: ({ env }) => env.AI as MarkdownConverter | undefined,
  aiSearch: ({ env }) => env.AI_SEARCH as AiSearchInstance | AiSearchNamespace | undefined,
};
