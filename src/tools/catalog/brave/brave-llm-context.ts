import { braveInput, COMMON } from "./brave-input.ts";
import { braveTool, shown, type BraveEntry } from "./brave-tool.ts";

/** Passages of web pages, selected by Brave Search for models. */
export const braveLlmContext = braveTool({
  className: "BraveLLMContextTool",
  displayName: "Brave LLM Context",
  description: "Finds passages of web pages that answer a question, with Brave Search.",
  path: "llm/context",
  maxCount: 50,
  input: () =>
    braveInput(
      "q",
      [
        ...COMMON,
        "maximum_number_of_urls",
        "maximum_number_of_tokens",
        "maximum_number_of_snippets",
        "maximum_number_of_tokens_per_url",
        "maximum_number_of_snippets_per_url",
        "context_threshold_mode",
        "enable_local",
        "goggles",
      ],
      { maxCount: 50 },
    ),
  result: (answer) => {
    const { generic = [], poi, map = [] } = (answer["grounding"] ?? {}) as Grounding;
    const places = [generic, poi ?? [], map].flat();
    return { found: places.map((each) => shown(each, each.snippets)), data: answer };
  },
});

type Passages = BraveEntry & { readonly snippets?: readonly string[] };
type Grounding = {
  readonly generic?: readonly Passages[];
  readonly poi?: Passages | null;
  readonly map?: readonly Passages[];
};
