import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { Answered } from "../../shell/states.tsx";
import { EditorForm } from "./editor-form.tsx";
import { beginOf, copyOf, readSample, readStored, type Begin } from "./source.ts";
import { templateOf } from "./templates.ts";

type Props = {
  readonly kind: TargetKind;
  readonly name: string;
  /** Absent for a new definition. */
  readonly target?: TargetDetails;
  /** For a new definition: the crew of the code to copy. */
  readonly from?: string | undefined;
  /** For a new definition: the name of a template. */
  readonly template?: string | undefined;
};

/** Editor of a stored definition, of a new one, or of a copy from the code. */
export default function DefinitionEditor({ kind, name, target, from, template }: Props) {
  const isCopy = target !== undefined && target.source !== "stored";
  const [ownName, setName] = useState(isCopy ? `${name}-copy` : name);
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ["target", kind, name, "source", from, template],
    queryFn: async (): Promise<Begin> => {
      if (isCopy) return copyOf(target);
      if (target !== undefined) return readStored(kind, name);
      if (from !== undefined) return copyOf(await targetsOf(kind).get(from));
      return beginOf(templateOf(kind, template)) ?? readSample(kind);
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const path = `/${kind}s`;
  return (
    <Answered query={query}>
      {(begin) => (
        <EditorForm
          kind={kind}
          name={ownName}
          begin={begin}
          {...(isCopy ? { onRename: setName } : undefined)}
          onStored={() => {
            if (target === undefined || isCopy)
              void navigate({
                to: `${path}/$name`,
                params: { name: ownName },
                search: { tab: "edit" },
                ignoreBlocker: true,
              });
          }}
        />
      )}
    </Answered>
  );
}
