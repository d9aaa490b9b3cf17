import { useQuery } from "@tanstack/react-query";
import { schemaOfNames } from "../../parts/form-fields.ts";
import type { JsonSchema } from "../../api-types.ts";
import { isStartKind, START_KINDS } from "../../../src/client/start-kinds.ts";
import { targetsOf } from "../../api.ts";

/** The target of a trigger; parts of the app may bring kinds unknown to the console. */
export type TriggerTarget = { readonly kind: string; readonly name: string };

export function useTargets(): readonly TriggerTarget[] {
  const { data } = useQuery({
    queryKey: ["triggers", "targets"],
    queryFn: async () => {
      const pages = await Promise.all(
        START_KINDS.map(async (kind) =>
          (await targetsOf(kind).list({ limit: 200 })).items.map(({ name }) => ({ kind, name })),
        ),
      );
      return pages.flat();
    },
  });
  return data ?? [];
}

const QUESTION: JsonSchema = {
  type: "object",
  properties: { messages: { type: "string", title: "Message", maxLength: 100_000 } },
  required: ["messages"],
};
const NOTHING: JsonSchema = { type: "object", properties: {} };

/** The inputs of a target; of those that are talked with, the message. */
export function useInputSchema(target: TriggerTarget | undefined): JsonSchema {
  const kind = target !== undefined && isStartKind(target.kind) ? target.kind : undefined;
  const { data } = useQuery({
    queryKey: ["target", target?.kind, target?.name],
    queryFn: () => targetsOf(kind ?? "crew").get(target?.name ?? ""),
    enabled: kind !== undefined,
  });
  if (target?.kind === "agent" || target?.kind === "conversation") return QUESTION;
  if (data === undefined) return NOTHING;
  const schema = data.inputSchema ?? schemaOfNames(data.inputs ?? []);
  return typeof schema["properties"] === "object" ? schema : NOTHING;
}
