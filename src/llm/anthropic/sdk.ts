// The part of Anthropic's SDK that we call: what it throws. Its client brings credentials, tracing and OpenTelemetry along, 30 KiB
// gzip in the Worker (docs/decisions/2026-11-23-anthropic-transport.md).
export { APIConnectionError, APIError } from "@anthropic-ai/sdk/core/error";
