// The part of OpenAI's SDK that we call, loaded when a model that speaks its dialect is first used. The package's main
// module also brings its Azure and Bedrock clients, 11 KiB gzip in the Worker.
export { OpenAI } from "openai/client";
export { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai/core/error";
