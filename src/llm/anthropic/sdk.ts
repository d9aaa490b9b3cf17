// The part of Anthropic's SDK that we call, loaded when a model of theirs is first used: its base client with the messages
// API alone weighs 39 KiB gzip in the Worker, its whole client 92.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { Messages } from "@anthropic-ai/sdk/resources/messages/messages";

export {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from "@anthropic-ai/sdk/core/error";

export class Anthropic extends BaseAnthropic {
  readonly messages = new Messages(this);
}
