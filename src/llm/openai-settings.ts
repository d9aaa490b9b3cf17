/** Parameters of OpenAI's API that some of its models or compatible servers refuse, and a request can do without. */
export const OPENAI_SETTINGS = [
  "temperature",
  "top_p",
  "top_k",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "top_logprobs",
  "logprobs",
  "n",
  "parallel_tool_calls",
  "reasoning_effort",
  "store",
  "stream_options",
  "user",
  "metadata",
] as const;
