import { EngineError } from "../base/error.ts";
import { firstOf } from "./connection.ts";
import type { NormalSettings } from "./model-settings.ts";
import {
  baseUrlVariables,
  findProvider,
  OPENAI,
  PROVIDERS,
  unlistedProvider,
  variablePrefix,
  type Provider,
} from "./providers.ts";
import type { Variables } from "./variables.ts";

/** OpenAI's API at your own address, independent of the model's name. */
function customOpenAI(
  settings: NormalSettings,
  variables: Variables,
): { readonly provider: Provider; readonly model: string } {
  const hasAddress =
    settings.baseUrl !== undefined || firstOf(baseUrlVariables(OPENAI), variables) !== undefined;
  if (!hasAddress) {
    throw new EngineError(
      "invalid_definition",
      `${settings.model}: customOpenai needs an address: set baseUrl, OPENAI_BASE_URL or OPENAI_API_BASE`,
    );
  }
  return { provider: OPENAI, model: settings.model.replace(/^openai\//i, "") };
}

/** Returns the provider of a model, and the model's name there. Throws `invalid_definition` for an unknown provider. */
export function locateProvider(
  settings: NormalSettings,
  variables: Variables,
): { readonly provider: Provider; readonly model: string } {
  const { model } = settings;
  if (settings.customOpenai) return customOpenAI(settings, variables);
  if (settings.provider !== undefined) {
    return { provider: providerNamed(settings.provider, settings, variables), model };
  }
  const slash = model.indexOf("/");
  if (slash < 0 || model.startsWith("@")) return { provider: providerOfBareName(model), model };
  const prefix = model.slice(0, slash);
  const rest = model.slice(slash + 1);
  if (rest === "") {
    throw new EngineError("invalid_definition", `model "${model}" names a provider but no model`);
  }
  const provider = findProvider(prefix);
  if (provider) return { provider, model: rest };
  // Behind a base URL of one's own, and in a gateway's common dialect, names keep their slashes.
  if (settings.baseUrl !== undefined) return { provider: OPENAI, model };
  const unlisted = unlistedFromVariables(prefix, variables);
  if (unlisted) return { provider: unlisted, model: rest };
  if (variables["AI_GATEWAY_URL"]) return { provider: behindGateway(prefix), model: rest };
  throw unknownProvider(prefix, model);
}

/**
 * Returns the provider with its API (NW1): its own API, or OpenAI's dialect, if the settings name one of OpenAI's APIs
 * or the address has the ending of this dialect.
 */
export function spokenTo(
  provider: Provider,
  { api, baseUrl }: Pick<NormalSettings, "api" | "baseUrl">,
  variables: Variables,
): Provider {
  const { chat, api: _, ...rest } = provider;
  if (chat === undefined) return provider;
  const address = baseUrl ?? firstOf(baseUrlVariables(provider), variables) ?? "";
  const isChat = api !== undefined || /\/(?:openai|v1)\/*$/.test(address);
  return isChat ? { ...rest, ...chat } : provider;
}

function providerNamed(name: string, settings: NormalSettings, variables: Variables): Provider {
  const provider = findProvider(name) ?? unlistedFromVariables(name, variables);
  if (provider) return provider;
  if (settings.baseUrl !== undefined) return unlistedProvider(name, settings.baseUrl);
  throw unknownProvider(name, settings.model);
}

function unlistedFromVariables(name: string, variables: Variables): Provider | undefined {
  const provider = unlistedProvider(name.toLowerCase(), "");
  const baseUrl = firstOf(baseUrlVariables(provider), variables);
  return baseUrl === undefined ? undefined : { ...provider, baseUrl };
}

function behindGateway(name: string): Provider {
  return { id: name, baseUrl: "", gateway: { path: "compat", modelPrefix: `${name}/` } };
}

function providerOfBareName(model: string): Provider {
  const name = model.toLowerCase();
  const id = /^@(cf|hf)\//.test(name)
    ? "workers-ai"
    : /^((us|eu|apac|global)\.)?(anthropic|amazon|meta|cohere|mistral|ai21|deepseek)\./.test(name)
      ? "bedrock"
      : name.startsWith("claude-")
        ? "anthropic"
        : /^(gemini|gemma|learnlm)-/.test(name)
          ? "gemini"
          : "openai";
  return findProvider(id) ?? OPENAI;
}

function unknownProvider(name: string, model: string): EngineError {
  const known = PROVIDERS.map(({ id }) => id).join(", ");
  return new EngineError(
    "invalid_definition",
    `unknown provider "${name}" in model "${model}". Known: ${known}, offline. For any other API that speaks ` +
      `OpenAI's dialect set ${variablePrefix(name)}_BASE_URL (and ${variablePrefix(name)}_API_KEY), or give ` +
      `baseUrl in the model's settings; AI_GATEWAY_URL sends it through an AI Gateway.`,
  );
}
