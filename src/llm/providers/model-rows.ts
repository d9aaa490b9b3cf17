// What models take, by their names: one row for each thing that the code reads. Sources, dates and what we do about them are in
// row-sources.ts, which no program carries; test/unit/llm/providers has what the provider says of each row.

/** Things that models differ in, each read at one place. */
export type ModelBehaviour =
  /** A request with stop words is refused. */
  | "no_stop"
  /** A request with tools is refused. */
  | "no_tools"
  /** A request with a schema of the answer is refused. */
  | "no_response_schema"
  /** A request with a schema of the answer is taken, where few models do. */
  | "response_schema"
  /** The limit of the answer is `max_completion_tokens`, and counts thoughts too. */
  | "completion_limit"
  /** The system speaks as the developer. */
  | "developer_role"
  /** There is neither a system nor a developer. */
  | "no_system_role"
  /** Ids of calls have nine letters and digits. */
  | "nine_letter_ids"
  /** The answer of a schema comes as the input of a tool. */
  | "answers_by_tool"
  /** The model searches among tools by the provider's own means. */
  | "tool_search"
  /** Converse holds the model to a schema. */
  | "converse_schema"
  /** Converse caches prompts of the model up to a mark. */
  | "converse_caches"
  /** The first call of a turn has to be signed. */
  | "signed_calls"
  /** Thinking has a budget in place of a level. */
  | "thinking_budget";

export type ModelRow = {
  readonly id: string;
  readonly behaviour: ModelBehaviour;
  /** Names of models that behave so, as `provider/model` or as the model alone. */
  readonly models: RegExp;
};

export const MODEL_ROWS: readonly ModelRow[] = [
  {
    id: "openai-reasoning-stop",
    behaviour: "no_stop",
    models: /(?:^|\/)(?:o[134](?:-|$)|gpt-[5-9])/,
  },
  {
    id: "openai-reasoning-limit",
    behaviour: "completion_limit",
    models: /(?:^|\/)(?:o[134](?:-|$)|gpt-[5-9])/,
  },
  { id: "o1-first-tools", behaviour: "no_tools", models: /(?:^|\/)o1-(?:mini|preview)/ },
  {
    id: "openai-old-schema",
    behaviour: "no_response_schema",
    models: /(?:^|\/)(?:gpt-3\.5|gpt-4(?:-|$)|o1-(?:mini|preview))/,
  },
  { id: "o1-first-roles", behaviour: "no_system_role", models: /(?:^|\/)o1-(?:mini|preview)/ },
  {
    id: "o1-role",
    behaviour: "developer_role",
    models: /(?:^|\/)o1(?:-(?!mini|preview)|$)/,
  },
  {
    id: "mistral-ids",
    behaviour: "nine_letter_ids",
    models: /mi[sx]tral|codestral|devstral|pixtral|voxtral|mathstral/i,
  },
  {
    id: "claude-old-schema",
    behaviour: "answers_by_tool",
    models: /^claude-(?:v?[123](?:[.-]|$)|instant|(?:opus|sonnet)-4(?:-0)?(?:[-@]\d{8})?$)/,
  },
  {
    id: "claude-tool-search",
    behaviour: "tool_search",
    models: /^claude-(?:opus|sonnet)-(?:4-[5-9]|[5-9]|\d\d)(?![\d])/,
  },
  {
    id: "workers-ai-schema",
    behaviour: "response_schema",
    models:
      /llama-3(?:\.1-8b-instruct(?:-fast)?|\.1-70b-instruct|\.3-70b-instruct-fp8-fast|-8b-instruct|\.2-11b-vision-instruct)$|hermes-2-pro-mistral-7b$|deepseek-coder-6\.7b-instruct-awq$|deepseek-r1-distill-qwen-32b$/,
  },
  {
    id: "bedrock-schema",
    behaviour: "converse_schema",
    models:
      /claude-(?:opus|sonnet|haiku|fable|mythos)-(?:4-[5-9]|[5-9])|gpt-oss|qwen3|deepseek\.v3|gemma-3|mistral-large-3|ministral|magistral|voxtral|kimi-k2|minimax-m2|nemotron/,
  },
  {
    id: "bedrock-caches",
    behaviour: "converse_caches",
    models: /claude-(?:3-7|3-5-haiku|(?:opus|sonnet|haiku|fable|mythos)-[4-9])|\bnova-/,
  },
  { id: "gemini-signatures", behaviour: "signed_calls", models: /gemini-(?:[3-9]|\d\d)/ },
  { id: "gemini-budgets", behaviour: "thinking_budget", models: /gemini-[12]\b/ },
];

const BY_BEHAVIOUR = Map.groupBy(MODEL_ROWS, ({ behaviour }) => behaviour);

/** True for a model that behaves so, by its name. */
export function behaves(model: string, behaviour: ModelBehaviour): boolean {
  return BY_BEHAVIOUR.get(behaviour)?.some(({ models }) => models.test(model)) === true;
}
