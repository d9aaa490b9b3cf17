// Behaviour of models, by their names: one row for each fact the code reads. Sources, dates and Edgecrew's handling are
// in test/support/provider-row-sources.ts; test/unit/llm/providers has the provider's statement for each row.

/** Differences between models, each read at one place. */
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
  | "tool_search";

export type ModelRow<Behaviour = ModelBehaviour> = {
  readonly id: string;
  readonly behaviour: Behaviour;
  /** Names of such models, as `provider/model` or as the model alone. */
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
];

const BY_BEHAVIOUR = Map.groupBy(MODEL_ROWS, ({ behaviour }) => behaviour);

/** True for a model with this behaviour, by its name. */
export function behaves(model: string, behaviour: ModelBehaviour): boolean {
  return BY_BEHAVIOUR.get(behaviour)?.some(({ models }) => models.test(model)) === true;
}
