import { replacePlaceholders } from "../../base/template.ts";
import type { ToolSpec } from "../../llm/language-model.ts";

/** Puts values into a text's placeholders, once and literally; a placeholder without a value stays. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return replacePlaceholders(template, (name) =>
    Object.hasOwn(values, name) ? values[name] : undefined,
  );
}

/** Describes tools for the text form: name, arguments and purpose of each, with a blank line between tools. */
export function describeTools(tools: readonly ToolSpec[]): string {
  return tools
    .map(
      ({ name, description, parameters }) =>
        `Tool: ${name}\nArguments: ${JSON.stringify(parameters)}\nPurpose: ${description}`,
    )
    .join("\n\n");
}
