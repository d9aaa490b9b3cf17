import * as z from "zod";
import { ADD_IMAGE, addImage } from "../../builtin/add-image.ts";
import { catalogTool } from "../base/catalog-tool.ts";

/** Shows an image to an agent whose model has image input. `multimodal` agents get it automatically. */
export const addImageToContent = catalogTool({
  className: "AddImageTool",
  displayName: ADD_IMAGE.name,
  group: "vision",
  service: "files",
  effectClass: "R",
  cache: false,
  description: ADD_IMAGE.description,
  input: ADD_IMAGE.input,
  options: () => z.object({}),
  run: addImage,
});
