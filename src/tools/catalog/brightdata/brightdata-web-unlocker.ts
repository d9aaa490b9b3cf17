import * as z from "zod";
import { decodeJson } from "../base/decode-json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse } from "../base/service-failure.ts";
import { pageArgument, publicAddress } from "../web/page-argument.ts";
import { pageResult } from "../web/page-result.ts";
import { BRIGHT_DATA, brightDataApi } from "./brightdata-keys.ts";

/** Reads a page past bot protection, through Bright Data. */
export const brightDataWebUnlocker = catalogTool({
  ...BRIGHT_DATA,
  className: "BrightDataWebUnlockerTool",
  displayName: "Bright Data Web Unlocker Scraping",
  group: "web",
  description: "Reads a web page that refuses other readers, and gives Markdown or a screenshot.",
  input: () =>
    z.object({
      url: pageArgument(),
      format: z
        .enum(["raw", "json"])
        .default("raw")
        .describe("raw is the page alone, json also its status and headers"),
      data_format: z
        .enum(["markdown", "screenshot", "none"])
        .default("markdown")
        .describe("The form of the page; none leaves it as it is"),
    }),
  options: () => z.object({}),
  fixable: ["url", "format", "data_format"],
  timeoutMs: 120_000,
  run: async ({ url: page, format, data_format: dataFormat }, _, io) => {
    const url = publicAddress(page, io);
    const api = brightDataApi(io);
    const isImage = dataFormat === "screenshot";
    const { body, bytes } = await io.send({
      url: `${api}/request`,
      body: {
        zone: io.value("BRIGHT_DATA_ZONE"),
        url,
        format: isImage ? "raw" : format,
        data_format: dataFormat === "none" ? undefined : dataFormat,
      },
      expects: isImage ? "bytes" : "text",
    });
    if (isImage) {
      const path = `screenshots/${new URL(url).host}-${io.context.uuid().slice(0, 8)}.png`;
      const file = await io.files.write(path, bytes, "image/png");
      const image = { path: file.path, mediaType: file.mediaType };
      return toolResult({ text: `The screenshot is ${path}.`, files: [file], images: [image] });
    }
    const text = typeof body === "string" ? body : "";
    if (format === "raw") return pageResult([{ url, text }]);
    const data = decodeJson(text, () => badResponse("Bright Data"));
    const { body: content = "" } = z.looseObject({ body: z.string().optional() }).parse(data);
    return pageResult([{ url, text: content }], { data });
  },
});
