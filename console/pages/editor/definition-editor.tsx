import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TargetDetails, TargetKind } from "../../api-types.ts";
import { targetsOf } from "../../api.ts";
import { Answered } from "../../shell/states.tsx";
import type { TargetPath } from "../definitions/kinds.ts";
import { EditorForm } from "./editor-form.tsx";
import { copyOf, readSample, readStored, type Begin } from "./source.ts";

type Props = {
  readonly kind: TargetKind;
  readonly name: string;
  /** Absent where nothing is there yet. */
  readonly target?: TargetDetails;
  /** Of something new: the crew of the code that it begins as. */
  readonly from?: string | undefined;
};

/** The editor of a definition: of a stored one, of something new, or of a copy of what the code has. */
export default function DefinitionEditor({ kind, name, target, from }: Props) {
  const isCopy = target !== undefined && target.source !== "stored";
  const [ownName, setName] = useState(isCopy ? `${name}-copy` : name);
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ["target", kind, name, "source", from],
    queryFn: async (): Promise<Begin> => {
      if (isCopy) return copyOf(target);
      if (target !== undefined) return readStored(kind, name);
      return from === undefined ? readSample(kind) : copyOf(await targetsOf(kind).get(from));
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const path = `/${kind}s` as TargetPath;
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
