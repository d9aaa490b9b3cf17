import * as z from "zod";
import { loadPart } from "../../base/load-part.ts";
import type { ToolFailure } from "../tool-failure.ts";
import type { ToolResult } from "../tool-result.ts";
import { tool, type Tool } from "../tool.ts";
import type { AddedImage } from "./show-image.ts";

/** Tool call with which agents ask to see an image. */
export const ADD_IMAGE = {
  name: "Add image to content",
  description: "Shows you an image: it is part of the next message. Use it to see what is in it.",
  input: () =>
    z.object({
      image_url: z.string().min(1).describe("The image: a path in the workspace, or a URL"),
      action: z.string().optional().describe("What to look for in it"),
    }),
};

/** Creates the tool with which `multimodal` agents see images. */
export function addImageTool(): Tool {
  return tool({
    name: ADD_IMAGE.name,
    description: ADD_IMAGE.description,
    input: ADD_IMAGE.input(),
    cache: () => false,
    run: addImage,
  });
}

/** Returns the image for the next message to a model with image input. */
export async function addImage(added: AddedImage): Promise<ToolResult | ToolFailure> {
  const { showImage } = await loadPart(() => import("./show-image.ts"));
  return showImage(added);
}
