// Meanings of the arguments of CrewAI's `Agent`, `Task` and `Crew`.

/**
 * Type of an argument: `value` is unchanged, `switch` is true or false (CrewAI accepts `verbose=2`), `model` is the
 * name or settings of a model, `tools` is a list of tools, `shape` is a class of answers, `function` and `functions`
 * are names, `judge` and `judges` are names or texts, `agent` and `tasks` are calls of methods, `sources` are sources
 * of knowledge, `skip` has no effect here, and `other` is a field of CrewAI without a counterpart.
 */
export type KeywordKind =
  | "value"
  | "switch"
  | "model"
  | "tools"
  | "shape"
  | "function"
  | "functions"
  | "judge"
  | "judges"
  | "agent"
  | "tasks"
  | "process"
  | "sources"
  | "skip"
  | "other";

export type Owner = "Agent" | "Task" | "Crew";

function kinds(table: Partial<Record<KeywordKind, string>>): ReadonlyMap<string, KeywordKind> {
  return new Map(
    Object.entries(table).flatMap(([kind, names]) =>
      names.split(" ").map((name): [string, KeywordKind] => [name, kind as KeywordKind]),
    ),
  );
}

const SHARED_VALUES = "embedder knowledge knowledge_config mcps skills";

/** Known arguments of each class. */
export const KEYWORDS: Readonly<Record<Owner, ReadonlyMap<string, KeywordKind>>> = {
  Agent: kinds({
    value:
      `role goal backstory max_iter max_rpm max_execution_time max_retry_limit max_tokens ` +
      `system_template prompt_template response_template date_format max_reasoning_attempts apps ` +
      `a2a guardrail_max_retries planning_config ${SHARED_VALUES}`,
    switch:
      "respect_context_window use_system_prompt cache allow_delegation allow_code_execution multimodal memory " +
      "inject_date planning reasoning verbose",
    model: "llm function_calling_llm",
    tools: "tools",
    sources: "knowledge_sources",
    function: "step_callback",
    judge: "guardrail",
    skip: "config crew code_execution_mode",
    other:
      "callbacks knowledge_storage security_config from_repository executor_class agent_executor cache_handler " +
      "tools_handler i18n",
  }),
  Task: kinds({
    value:
      "name description expected_output output_file guardrail_max_retries max_retries input_files mcps",
    switch: "async_execution human_input markdown allow_crewai_trigger_context",
    tools: "tools",
    shape: "output_json output_pydantic response_model",
    judge: "guardrail",
    judges: "guardrails",
    function: "callback condition",
    agent: "agent",
    tasks: "context",
    skip: "config create_directory",
    other: "security_config converter_cls",
  }),
  Crew: kinds({
    value: `name max_rpm output_log_file trained_agents_file inputs ${SHARED_VALUES}`,
    switch: "memory cache planning stream verbose",
    model: "manager_llm planning_llm function_calling_llm chat_llm",
    functions: "before_kickoff_callbacks after_kickoff_callbacks",
    function: "task_callback step_callback",
    sources: "knowledge_sources",
    agent: "manager_agent",
    process: "process",
    skip: "agents tasks share_crew tracing output_json full_output language",
    other:
      "config prompt_file security_config checkpoint memory_config short_term_memory long_term_memory entity_memory " +
      "external_memory user_memory",
  }),
};

/** Next step for an unreadable argument. */
export const ADVICE: Readonly<Record<KeywordKind, string>> = {
  value: "write its value into crew.jsonc",
  switch: "write true or false into crew.jsonc",
  model: "write the name of a model into crew.jsonc",
  tools: "write the tools' names into crew.jsonc",
  shape: "write its name into crew.jsonc, and register a schema",
  function: "register a function, and write its name into crew.jsonc",
  functions: "register the functions, and write their names into crew.jsonc",
  judge: "register a function, and write its name into crew.jsonc",
  judges: "register the functions, and write their names into crew.jsonc",
  agent: "write the agent's name into crew.jsonc",
  tasks: "write the tasks' names into crew.jsonc",
  sources: "write the sources into crew.jsonc as data",
  process: "write sequential or hierarchical into crew.jsonc",
  skip: "",
  other: "",
};
