// Classes of models in Python, and their providers here.

const PROVIDERS: Readonly<Record<string, string>> = {
  LLM: "",
  OpenAI: "",
  ChatOpenAI: "",
  AzureChatOpenAI: "azure",
  AzureOpenAI: "azure",
  ChatAnthropic: "anthropic",
  Anthropic: "anthropic",
  ChatGroq: "groq",
  Groq: "groq",
  ChatOllama: "ollama",
  Ollama: "ollama",
  OllamaLLM: "ollama",
  ChatGoogleGenerativeAI: "gemini",
  GoogleGenerativeAI: "gemini",
  ChatVertexAI: "vertex",
  ChatMistralAI: "mistral",
  ChatCohere: "cohere",
  ChatDeepSeek: "deepseek",
  ChatXAI: "xai",
  ChatTogether: "together",
  ChatFireworks: "fireworks",
  ChatPerplexity: "perplexity",
  ChatNVIDIA: "nvidia",
  ChatBedrock: "bedrock",
  ChatBedrockConverse: "bedrock",
  BedrockLLM: "bedrock",
  ChatCerebras: "cerebras",
  ChatOpenRouter: "openrouter",
  ChatHuggingFace: "huggingface",
};

/** Returns the name of a class of models, without its modules. Undefined for another class. */
export function modelClass(name: string): string | undefined {
  const last = name.split(".").at(-1) ?? "";
  return Object.hasOwn(PROVIDERS, last) || /^[A-Z]\w*Chat\w*$|^Chat[A-Z]/.test(last)
    ? last
    : undefined;
}

/** Returns a model's name with its provider: `ChatGroq(model="llama3")` is `groq/llama3`. */
export function modelOfClass(className: string, model: string): string {
  const provider = PROVIDERS[className] ?? "";
  const plain = model.replace(/^models\//, "");
  return provider === "" || plain.startsWith(`${provider}/`) ? plain : `${provider}/${plain}`;
}
