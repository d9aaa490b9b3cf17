// The demo model by a function of its own. Only code that names it may import this file: bundlers with chunks make one of
// each late part in a file of the program, used or not.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import type { LanguageModel } from "../language-model.ts";
import type { DemoOptions } from "./capabilities.ts";
import { lateDemo } from "./offline-models.ts";

const OPTIONS = definitionOptions<DemoOptions>("demoModel()", { delayMs: true, clock: true });

/**
 * Creates `offline/demo`, which picks tools by shared words and repeats facts of its input. It is no language model. A
 * Worker deployed by wrangler has it only under a name in `models`; other programs find it by its name.
 */
export function demoModel(options: DemoOptions = {}): LanguageModel {
  refuseUnknownOptions(options, OPTIONS);
  return lateDemo(options, () => import("./demo-model.ts"));
}
