// Models without a key and without a network: `offline/demo`, and `offline/echo` for tests of a deployment.
import { EngineError } from "../../base/error.ts";
import { NO_USAGE } from "../../base/usage.ts";
import { textOfContent } from "../content.ts";
import type { LanguageModel } from "../language-model.ts";
import { LateModel } from "../late-model.ts";
import { DEMO, ECHO, type DemoOptions } from "./capabilities.ts";

const MISSING =
  'is not in a Worker built for production: set MODEL and the key of its provider, or register demoModel() of edgecrew/models as `models: { "offline/demo": demoModel() }`';

type DemoModule = typeof import("./demo-model.ts");

/** Creates `offline/demo`, which loads its code at the first call. */
export function lateDemo(options: DemoOptions, load: () => Promise<DemoModule>): LanguageModel {
  return new LateModel({ ...DEMO, load: async () => (await load()).createDemoModel(options) });
}

/** Stands for `offline/demo` where it was left out of the build. Each call fails as `model_unauthorized`. */
export function missingDemo(): LanguageModel {
  return {
    ...DEMO,
    missingKey: `${DEMO.id} ${MISSING}`,
    generate: () => Promise.reject(new EngineError("model_unauthorized", `${DEMO.id} ${MISSING}`)),
  };
}

/** Creates `offline/echo`, which answers with the last message. */
export function echoModel(): LanguageModel {
  return {
    ...ECHO,
    generate: async ({ messages }, { signal }) => {
      signal.throwIfAborted();
      return {
        text: textOfContent(messages.at(-1)?.content ?? ""),
        toolCalls: [],
        finishReason: "stop",
        usage: { ...NO_USAGE, requests: 1 },
      };
    },
  };
}
