// The part of OpenAI's SDK that we call: what it throws. Its client brings every resource of the platform along, 80 KiB gzip in the
// Worker (docs/decisions/2026-11-22-openai-transport.md).
export { APIConnectionError, APIError } from "openai/core/error";
