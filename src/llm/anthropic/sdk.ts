// The part of Anthropic's SDK that we call, loaded when a model of theirs is first used: its base client. The messages API
// with its stream helpers and batches adds 7 KiB gzip in the Worker, the whole client 53 more.
export { BaseAnthropic as Anthropic } from "@anthropic-ai/sdk/client";
export {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from "@anthropic-ai/sdk/core/error";
