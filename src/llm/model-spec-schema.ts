// Schema of models in definitions as data; readModelSettings and modelListFrom interpret the settings.
import * as z from "zod";

/** The names under which settings say which model they are for. */
const MODEL_NAMES = ["model", "model_name", "modelName", "deployment_name", "deploymentName"];

const modelSettings = z
  .looseObject({ model: z.string().min(1).optional() })
  .refine((settings) => MODEL_NAMES.some((name) => typeof settings[name] === "string"), {
    path: ["model"],
    message: "expected the name of a model",
  });
const entry = z.union([z.string().min(1), modelSettings]);
const entries = z.array(entry).min(1);

/** A name, settings, a chain, or a list with its settings. */
export const modelSpecSchema = z.union([
  entry,
  entries,
  z.looseObject({ configList: entries }),
  z.looseObject({ config_list: entries }),
]);
