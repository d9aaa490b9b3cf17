import { expectTypeOf, it } from "vitest";
import { brightDataDataset } from "../../src/tools/catalog/brightdata/brightdata-dataset.ts";
import { brightDataWebUnlocker } from "../../src/tools/catalog/brightdata/brightdata-web-unlocker.ts";
import { serperDev } from "../../src/tools/catalog/serper/serper-dev.ts";
import type { Tool } from "../../src/tools/tool.ts";

it("knows options, arguments that options fix, and keys", () => {
  expectTypeOf(serperDev({ nResults: 3, apiKey: "k" })).toEqualTypeOf<Tool>();
  brightDataWebUnlocker({ zone: { env: "OUR_ZONE" }, dataFormat: "markdown" });
  brightDataDataset({ datasetType: "amazon_product", additionalParams: { keyword: "tea" } });
});

// oxlint-disable-next-line vitest/expect-expect -- the compiler checks
it("refuses what a tool has not", () => {
  // @ts-expect-error -- a number
  serperDev({ nResults: "3" });
  // @ts-expect-error -- no such form
  brightDataWebUnlocker({ dataFormat: "pdf" });
  // @ts-expect-error -- no such option
  brightDataDataset({ zone: "z" });
});
