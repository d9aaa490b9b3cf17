import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { decodeJson } from "../base/decode-json.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { BRIGHT_DATA_API, BRIGHT_DATA_KEY, brightDataApi, BRIGHT_DATA } from "./brightdata-keys.ts";
import { DATASET_IDS } from "./dataset-ids.ts";

/** Records of a product, profile or post at an address, through Bright Data. */
export const brightDataDataset = catalogTool({
  ...BRIGHT_DATA,
  className: "BrightDataDatasetTool",
  displayName: "Bright Data Dataset Tool",
  group: "web",
  description: "Collects records of a product, profile or post from the page of a well-known site.",
  input: () =>
    z.object({
      dataset_type: z
        .string()
        .min(1)
        .describe(`One of ${Object.keys(DATASET_IDS).join(", ")}, or the id of a data set`),
      url: pageArgument(),
      zipcode: z.string().optional(),
      additional_params: z
        .record(z.string(), z.json())
        .optional()
        .describe("Further inputs, such as { keyword }"),
      format: z.enum(["json", "ndjson", "jsonl", "csv"]).default("json"),
    }),
  options: () => z.object({}),
  fixable: ["dataset_type", "url", "zipcode", "additional_params", "format"],
  env: [BRIGHT_DATA_KEY, BRIGHT_DATA_API],
  run: async ({ dataset_type: type, url: page, zipcode, format, ...rest }, _, io) => {
    const url = publicAddress(page, io);
    const api = brightDataApi(io);
    const dataset = DATASET_IDS[type] ?? (/^gd_\w+$/.test(type) ? type : undefined);
    if (dataset === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: `There is no data set "${type}": use one of ${Object.keys(DATASET_IDS).join(", ")}.`,
      });
    const id = await io.poll<string>({
      start: async () => {
        const { body } = await io.send({
          url: `${api}/datasets/v3/trigger`,
          query: { dataset_id: dataset, include_errors: true },
          body: [{ url, zipcode, ...rest.additional_params }],
        });
        const { data } = z.looseObject({ snapshot_id: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("Bright Data");
        return data.snapshot_id;
      },
      check: async (snapshot) => {
        const { body } = await io.send({ url: `${api}/datasets/v3/progress/${snapshot}` });
        const { data } = z.looseObject({ status: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("Bright Data");
        if (data.status === "ready") return { done: snapshot };
        return data.status === "failed" ? { failed: "it could not be collected" } : "running";
      },
      cancel: (snapshot) => ({
        method: "POST",
        url: `${api}/datasets/v3/snapshot/${snapshot}/cancel`,
      }),
      lookAgain: (snapshot) => `GET ${api}/datasets/v3/progress/${snapshot} tells more`,
    });
    const { body } = await io.send({
      url: `${api}/datasets/v3/snapshot/${id}`,
      query: { format },
      expects: "text",
    });
    const text = typeof body === "string" ? body : "";
    const data: JsonValue =
      format === "json" ? decodeJson(text, () => badResponse("Bright Data")) : text;
    const sources = [{ url }];
    const shown = format === "json" ? JSON.stringify(data, null, 1) : text;
    return toolResult({ text: shown, data, sources, untrusted: [new URL(url).host] });
  },
});
