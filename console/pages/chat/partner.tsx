import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client, targetsOf } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { START_SECTIONS } from "../../../src/client/start-kinds.ts";
import type { ChatKind } from "./talk.ts";

type Props = { readonly kind: ChatKind; readonly name: string };

/** Names the partner of a chat, its role, and the models that answer. */
export function Partner({ kind, name }: Props) {
  const { data } = useQuery({
    queryKey: ["target", kind, name],
    queryFn: () => targetsOf(kind).get(name),
    retry: false,
  });
  const about = useQuery({ queryKey: ["about"], queryFn: () => client.about(), staleTime: 60_000 });
  const fallback = about.data?.models.default;
  const members = kind === "agent" ? [data] : (data?.agents ?? []);
  const models = new Set(members.flatMap((member) => member?.llm ?? fallback ?? []));
  return (
    <header className="chat-partner">
      <Icon name={kind} />
      <Link to={`/${START_SECTIONS[kind]}/$name`} params={{ name }}>
        <strong>
          <PlainText text={name} />
        </strong>
      </Link>
      <span className="soft cut">
        <PlainText text={data?.role ?? data?.description ?? data?.goal ?? ""} />
      </span>
      {models.size > 0 && (
        <span className="badge">
          <Icon name="model" size={12} /> {[...models].join(", ")}
        </span>
      )}
    </header>
  );
}
