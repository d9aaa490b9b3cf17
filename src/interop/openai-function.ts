import { isJsonObject } from "../base/json.ts";
import { hasMethod, methodOf, textField, type Candidate, type Framework } from "./foreign-tool.ts";

/**
 * A function in the format of OpenAI's API with its code: `{ type: "function", function: { name, parameters }, execute
 * }`, the same without the inner object, and the forms of `runTools` and `zodFunction` in the SDK `openai`.
 */
export const openaiFunction: Framework = {
  shape: 'type: "function", a name, parameters, and the function as execute',
  recognises: (candidate) => {
    if (candidate["type"] !== "function" || hasMethod(candidate, "invoke")) return false;
    const described = descriptionOf(candidate);
    return textField(described["name"]) !== undefined && codeOf(candidate) !== undefined;
  },
  read: (candidate) => {
    const described = descriptionOf(candidate);
    const { name, description, parameters } = described;
    const parses = hasMethod(described, "parse") || hasMethod(candidate, "$parseRaw");
    const isOfSdk = hasMethod(described, "function");
    return {
      name: textField(name),
      description,
      schema: parameters,
      run: (input) => {
        const code = codeOf(candidate);
        if (hasMethod(described, "parse")) {
          const parsed = methodOf(described, "parse")(JSON.stringify(input));
          return code?.(parsed);
        }
        // Functions of `runTools` without a parser get the text of the model.
        return code?.(isOfSdk && !parses ? JSON.stringify(input) : input);
      },
    };
  },
};

/** Chat completions put a function into an object of its own, the Responses API does not. */
function descriptionOf(candidate: Candidate): Candidate {
  const inner = candidate["function"];
  return isJsonObject(inner) ? inner : candidate;
}

function codeOf(candidate: Candidate): ((input: unknown) => unknown) | undefined {
  const described = descriptionOf(candidate);
  if (hasMethod(candidate, "execute")) return methodOf(candidate, "execute");
  if (hasMethod(candidate, "$callback")) return methodOf(candidate, "$callback");
  if (hasMethod(described, "function")) return methodOf(described, "function");
  return typeof candidate["function"] === "function" ? methodOf(candidate, "function") : undefined;
}
