// How servers word that a conversation does not fit the model's window.
//
// Sources are the servers' code or pages of their documentation, looked up in November 2026, and answers that were received.

/** Words of a refusal for its length, in lower case, with the servers that use them. */
const PHRASES: readonly (readonly [phrase: string, servers: string])[] = [
  ["expected a string with maximum length", "OpenAI"],
  ["maximum context length", "OpenAI, vLLM, OpenRouter, DeepSeek"],
  ["context length exceeded", "OpenAI, Groq"],
  ["context_length_exceeded", "OpenAI, Azure"],
  ["context window full", "Anthropic on Bedrock"],
  ["too many tokens", "Cohere"],
  ["input is too long", "Bedrock"],
  ["exceeds token limit", "Vertex"],
  ["exceeds the maximum number of tokens", "Gemini"],
  ["prompt is too long", "Anthropic"],
  ["exceed context limit", "Anthropic"],
  ["exceeds the available context size", "llama.cpp, Ollama"],
  ["context size has been exceeded", "llama.cpp, in the middle of an answer"],
  ["exceed_context_size_error", "llama.cpp"],
  ["exceeds the context window", "OpenAI's Responses API"],
  ["exceeded this model context window limit", "Workers AI"],
  ["context window exceeds limit", "MiniMax"],
  ["maximum prompt length is", "xAI"],
  ["context length of only", "LM Studio"],
  ["greater than the context length", "LM Studio"],
  ["`inputs` tokens + `max_new_tokens` must be", "Text Generation Inference, Together"],
  ["range of input length should be", "DashScope"],
  ["exceeds maximum allowed token length", "Databricks"],
];

/** True for a message that says so. */
export function isContextPhrase(message: string): boolean {
  const text = message.toLowerCase();
  return PHRASES.some(([phrase]) => text.includes(phrase));
}
